//! GraphQL documents that a generic helper may be asked to send.

use crate::catalog::call::Effect;
use crate::scan::index::{FnId, TypeId};
use crate::scan::sinks::Context;
use crate::scan::sinks::classify::graphql_text;

impl Context<'_, '_> {
    /// Whether one of the functions sends whatever document its type parameter stands for (`Q: GraphQLQuery`), and
    /// every type of the workspace that derives from a document derives from a query.
    pub(super) fn sends_queries_alone(&self, by: &[FnId]) -> bool {
        by.iter().any(|id| self.is_of_any_query(*id)) && self.derives_from_queries_alone()
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
}
