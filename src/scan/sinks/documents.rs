//! GraphQL documents that a generic helper may be asked to send.

use crate::catalog::call::Effect;
use crate::scan::index::{FnId, TypeId};
use crate::scan::ir::{Body, Expr, ExprId, Ty};
use crate::scan::sinks::Context;
use crate::scan::sinks::classify::{graphql_text, is_plain_name};
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::purpose::exchanges_credentials;
use crate::scan::sinks::recipes::words;
use crate::scan::types::value::Text;

impl<'a> Context<'_, 'a> {
    /// Whether one of the functions sends whatever document its type parameter stands for (`Q: GraphQLQuery`), and
    /// every type of the workspace that derives from a document derives from a query.
    pub(super) fn sends_queries_alone(&self, by: &[FnId]) -> bool {
        by.iter().any(|id| self.is_of_any_query(*id)) && self.derives_from_queries_alone()
    }

    /// Whether a function is named after an exchange of credentials, or only runs for those that are.
    fn logs_in(&self, function: FnId, levels: usize) -> bool {
        let name = &self.types.index.function(function).name;
        if exchanges_credentials(name) {
            return true;
        }
        let plain = levels > 0 && is_plain_name(&words(name));
        let callers = || self.graph.callers(self.types, function).map(|call| call.caller);
        plain && callers().next().is_some() && callers().all(|caller| self.logs_in(caller, levels - 1))
    }

    fn is_of_any_query(&self, function: FnId) -> bool {
        let index = self.types.index;
        let entry = index.function(function);
        let of_impl = entry.impl_id.and_then(|id| index.impls.get(id.0 as usize)).map(|entry| &entry.def.generics);
        let generics = entry.function.generics.iter().chain(of_impl.into_iter().flatten());
        let mut bounds = generics.flat_map(|generic| &generic.bounds);
        bounds.any(|bound| bound.segments.last().is_some_and(|last| last.name == "GraphQLQuery"))
    }

    fn derives_from_queries_alone(&self) -> bool {
        let ids = (0..self.types.index.types.len()).filter_map(|at| u32::try_from(at).ok()).map(TypeId);
        let mut documents = ids.filter_map(|id| self.eval.document_of(id)).peekable();
        documents.peek().is_some() && documents.all(|document| graphql_text(&document.texts) == Some(Effect::Read))
    }

    /// A GraphQL call: the document in an argument or behind the type argument.
    pub(super) fn graphql_effect(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Told {
        let texts: Vec<Text> = leaving
            .args
            .iter()
            .chain(&leaving.receiver)
            .flat_map(|arg| {
                let value = self.eval.value(leaving.scope, *arg);
                let bodies = value.request.as_ref().map(|request| request.bodies.clone()).unwrap_or_default();
                value.texts.iter().cloned().chain(bodies).collect::<Vec<_>>()
            })
            .collect();
        let derived = type_arguments(body, leaving.expr).filter_map(|ty| self.eval.derived_document(leaving.scope, ty));
        let texts: Vec<Text> = derived.flat_map(|value| value.texts).chain(texts).collect();
        match graphql_text(&texts) {
            Some(Effect::Mutate) | None if self.logs_in(leaving.function, 2) => {
                return Told::of(Effect::Auth, "the function exchanges credentials");
            }
            Some(effect) => return Told::of(effect, "its GraphQL document"),
            None => {}
        }
        let text = self.types.index.files[self.types.index.functions[leaving.function.0 as usize].file].source.text();
        let span = body.node(leaving.expr).span;
        let shown = text.get(span.start..span.end).unwrap_or_default();
        if shown.contains("Query") && !shown.contains("Mutation") && shown.contains("QueryBuilder") {
            return Told::of(Effect::Read, "a query builder");
        }
        Told::of(Effect::Mutate, "a GraphQL document that is not seen")
    }
}

/// The type arguments of a call: `post_graphql::<AddStar, _>(..)`.
fn type_arguments(body: &Body, call: ExprId) -> impl Iterator<Item = &Ty> {
    let written: &[Ty] = match body.expr(call) {
        Expr::Method { generics, .. } => generics,
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => path.segments.last().map_or(&[], |last| &last.args),
            _ => &[],
        },
        _ => &[],
    };
    written.iter()
}
