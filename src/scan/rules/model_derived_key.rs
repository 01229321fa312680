//! `model-derived-key`

use std::collections::HashSet;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::origin::Arguments;
use crate::scan::index::{Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Ty};
use crate::scan::rules::{Context, Found};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::known::last_of;
use crate::scan::types::value::{Place, Scope};

/// A key that holds what a model wrote.
pub(super) static RULE: Rule = Rule {
    name: "model-derived-key",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/model-derived-key.md"),
};

/// Traits and attributes of functions that a model calls, by their last names, and the types of what it gives.
const TOOLS: [&str; 3] = ["Tool", "ToolDyn", "ToolEmbedding"];
const GIVEN: [&str; 2] = ["Args", "Parameters"];

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let open = context.acts.iter().filter(|(_, act)| act.effect == Effect::Model && act.guard.is_none());
    let models: HashSet<Place> = open.map(|(_, act)| (Scope::Fn(act.function), act.expr)).collect();
    let told = context.keys().iter().filter_map(|keyed| {
        let (function, value) = (keyed.used.function, keyed.used.value);
        let from = context.flow.origins(Scope::Fn(function), value, Arguments::All);
        let (place, what) = from.places.iter().find_map(|place| {
            if models.contains(place) {
                return Some((*place, "the model writes it here"));
            }
            is_tool_argument(context, *place).then_some((*place, "a model gives this to its tool"))
        })?;
        let label = context.at_expr(function, value, "the key")?;
        let path = context.path_of(function);
        let message = "the key holds what a model wrote: asked once more, it writes something else".to_owned();
        let mut finding = Finding::new(RULE.name, RULE.level, message, label)
            .with_help("derive the key from what came in (the message, the order, the step of the conversation), not from the answer to it")
            .with_subject(&path);
        finding.related.extend(at(context, place, what));
        Some(Found { finding, function: path })
    });
    told.collect()
}

fn at(context: &Context<'_, '_, '_>, place: Place, text: &str) -> Option<Label> {
    match place.0 {
        Scope::Fn(function) => context.at_expr(function, place.1, text),
        Scope::Const(_) | Scope::Macro(..) => None,
    }
}

/// Whether it is what a model gives when it calls a tool.
fn is_tool_argument(context: &Context<'_, '_, '_>, place: Place) -> bool {
    let Scope::Fn(function) = place.0 else { return false };
    let Some(body) = context.flow.body(function) else { return false };
    match body.expr(place.1) {
        Expr::Path(path) => path.ident().is_some_and(|name| is_given_to_tool(context, function, body, place.1, name)),
        Expr::Field(of, name) => name == "arguments" && is_call_of_tool(body, *of),
        _ => false,
    }
}

/// A parameter of `Tool::call`, or of a function that is marked as a tool.
fn is_given_to_tool(context: &Context<'_, '_, '_>, function: FnId, body: &Body, at: ExprId, name: &str) -> bool {
    let index = context.guards.types.index;
    let entry = index.function(function);
    let by_trait = entry.impl_id.is_some_and(|id| match &index.impl_entry(id).trait_def {
        Some(Def::External(path)) => TOOLS.contains(&last_of(path)),
        _ => false,
    });
    let by_mark = entry.attributes.iter().any(|attribute| last_of(&attribute.path).trim() == "tool");
    if !by_trait && !by_mark {
        return false;
    }
    let body = context.guards.types.body(Scope::Fn(function)).filter(|own| std::ptr::eq(*own, body));
    let Some(body) = body else { return false };
    match binding_of(&context.flow.eval, Scope::Fn(function), body, at, name) {
        Some(Binding::Param(_, param)) => name != "self" && (by_trait || gives(&param.ty)),
        _ => false,
    }
}

fn gives(ty: &Ty) -> bool {
    match ty {
        Ty::Path(path) => path.segments.last().is_some_and(|last| GIVEN.contains(&last.name.as_str())),
        Ty::Ref(inner) => gives(inner),
        _ => false,
    }
}

/// `tool_call.function.arguments`.
fn is_call_of_tool(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Path(path) => path.ident().is_some_and(|name| name.contains("tool")),
        Expr::Field(of, name) => name.contains("tool") || is_call_of_tool(body, *of),
        Expr::Ref(inner) => is_call_of_tool(body, *inner),
        _ => false,
    }
}
