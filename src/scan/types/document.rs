//! GraphQL documents of the workspace: behind `include_str!` and behind `#[derive(GraphQLQuery)]`.

use crate::scan::index::{TypeId, join};
use crate::scan::ir::{Body, Expr, ExprId, Operation, Ty};
use crate::scan::types::eval::Eval;
use crate::scan::types::members::split_member;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Scope, Value, shown};

impl Eval<'_, '_> {
    /// What `include_str!` of a GraphQL document is worth: a text that says what its operations do.
    pub(super) fn included(&self, scope: Scope, args: &[ExprId]) -> Value {
        let Some(text) = args.first().and_then(|arg| self.texts(scope, *arg).into_iter().next()) else {
            return Value::default();
        };
        let module = self.types.names(scope).module;
        let index = self.types.index;
        let here = index.files[index.module(module).file].source.name();
        let folder = here.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = shown(&text);
        // `concat!(env!("CARGO_MANIFEST_DIR"), "/q.graphql")` is counted from the package.
        let path = match name.strip_prefix("{}/") {
            Some(inner) => join(self.package_folder(scope), inner),
            None => join(folder, &name),
        };
        index.documents.get(&path).map_or_else(Value::default, |operations| worth(operations, None))
    }

    /// What `Query::build_query(..)` is worth, when `Query` derives from a document.
    pub(super) fn built_query(&self, scope: Scope, body: &Body, callee: ExprId) -> Option<Value> {
        let Expr::Path(path) = body.expr(callee) else { return None };
        match split_member(path)? {
            (head, "build_query") => self.derived_document(scope, &head),
            (head, "build") => self.fragment(scope, &head),
            _ => None,
        }
    }

    /// What a fragment is part of that cynic builds an operation of: `#[cynic(graphql_type = "QueryRoot")]`.
    fn fragment(&self, scope: Scope, ty: &Ty) -> Option<Value> {
        let Type::Local(id, _) = self.types.names(scope).ty(ty) else { return None };
        let mut written = self.types.index.ty(id).attributes.iter().filter(|attribute| attribute.path == "cynic");
        let root = written.find_map(|attribute| quoted(&attribute.tokens, "graphql_type"))?;
        let operations = [("Mutation", "mutation {}"), ("Query", "query {}")];
        operations.into_iter().find(|(name, _)| root.contains(name)).map(|(_, text)| Value::text(text))
    }

    /// What the document of a type that derives from one says.
    #[must_use]
    pub fn derived_document(&self, scope: Scope, ty: &Ty) -> Option<Value> {
        let Type::Local(id, _) = self.types.names(scope).ty(ty) else { return None };
        self.document_of(id)
    }

    /// The same of a type of the workspace; an empty value when its file is not there.
    #[must_use]
    pub fn document_of(&self, id: TypeId) -> Option<Value> {
        let index = self.types.index;
        let entry = index.ty(id);
        let written = entry.attributes.iter().find(|attribute| attribute.path == "graphql")?;
        let path = quoted(&written.tokens, "query_path")?;
        let operations = index.documents.get(&join(self.folder_of(id), path));
        Some(operations.map_or_else(Value::default, |operations| worth(operations, Some(&entry.name))))
    }

    fn folder_of(&self, id: TypeId) -> &str {
        let index = self.types.index;
        index.packages.get(index.module(index.ty(id).module).package).map_or("", |package| package.folder.as_str())
    }

    fn package_folder(&self, scope: Scope) -> &str {
        let index = self.types.index;
        let module = index.module(self.types.names(scope).module);
        index.packages.get(module.package).map_or("", |package| package.folder.as_str())
    }
}

/// A text that stands for a document: of the operation with this name, else of all of them, the change first.
fn worth(operations: &[Operation], wanted: Option<&str>) -> Value {
    let named = wanted.and_then(|wanted| operations.iter().find(|operation| operation.name == wanted));
    let changes = match named {
        Some(operation) => operation.changes,
        None if operations.is_empty() => return Value::default(),
        None => operations.iter().any(|operation| operation.changes),
    };
    Value::text(if changes { "mutation {}" } else { "query {}" })
}

/// The text behind `name =`.
fn quoted<'t>(tokens: &'t str, name: &str) -> Option<&'t str> {
    let (_, behind) = tokens.split_once(name)?;
    let (_, inside) = behind.split_once('"')?;
    Some(inside.split_once('"')?.0)
}
