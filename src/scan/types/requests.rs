//! Requests as methods outside begin them and add to them.

use crate::catalog::lookup::Returned;
use crate::scan::ir::{Expr, ExprId};
use crate::scan::types::binding::bound_of;
use crate::scan::types::eval::Eval;
use crate::scan::types::everyday::is_of_what_holds_it;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Header, Methods, Request, Scope, Text, Value, shown};

impl Eval<'_, '_> {
    /// What the catalog says is returned; with the request when a verb is fixed.
    pub(super) fn returned_outside(&self, scope: Scope, of: &Value, returned: Returned, args: &[ExprId]) -> Value {
        let value = if of.ty.path() == Some(&returned.path) {
            Value::of(of.ty.clone())
        } else {
            Value::of(Type::external(&returned.path))
        };
        let Some(verb) = &returned.http_method else { return value };
        let (methods, url) = match verb.as_str() {
            "arg 0" => (
                args.first().map_or_else(Methods::runtime, |method| self.value(scope, *method).as_methods()),
                args.get(1),
            ),
            // `Request::new(url, method)`, `Request::new_with_init(url, &init)`: what is made so far may hold it.
            "arg 1" => {
                (args.get(1).map_or_else(|| Methods::one("GET"), |init| self.methods_of(scope, *init)), args.first())
            }
            verb => (Methods::one(verb), args.first()),
        };
        let urls = url.map_or_else(Vec::new, |url| self.texts(scope, *url));
        value.with_request(Request { methods, urls, ..Request::default() })
    }

    /// The methods that a value names: it is one, or it is made with one, in its chain or by statements behind.
    fn methods_of(&self, scope: Scope, init: ExprId) -> Methods {
        let value = self.value(scope, init);
        let placed = self.placed_methods(scope, init);
        match (placed, &value.request, value.field("method")) {
            (Some(placed), ..) => placed,
            (None, Some(request), _) => request.methods.clone(),
            (None, None, Some(method)) => method.as_methods(),
            (None, None, None) => value.as_methods(),
        }
    }

    /// `init.with_method(Method::Post);` in a statement of its own.
    fn placed_methods(&self, scope: Scope, init: ExprId) -> Option<Methods> {
        let body = self.types.body(scope)?;
        let at = body.base(init);
        let Expr::Path(path) = body.expr(at) else { return None };
        let name = path.ident()?;
        let bound = bound_of(self, scope, body, at, name);
        let changes = self.changes(scope, body);
        let placed = changes.placed.of(name, bound).filter(|(method, _)| is_method_setter(method)).last().copied();
        placed.map(|(_, given)| self.value(scope, given).as_methods())
    }

    /// Whether a method on this value carries a request on.
    pub(super) fn is_setter(&self, of: &Value, name: &str) -> bool {
        self.builds(of) && !is_of_what_holds_it(name)
    }

    /// Whether this is a request that is being built.
    pub(super) fn builds(&self, of: &Value) -> bool {
        of.request.is_some() || of.ty.path().is_some_and(|path| self.types.known.is_builder(path))
    }

    /// A method that adds to a request.
    pub(super) fn setter(&self, scope: Scope, of: &Value, name: &str, args: &[ExprId]) -> Value {
        if (name, args) == ("build_split", &[]) {
            return self.split_request(of);
        }
        let mut request = of.as_request();
        match (name, args) {
            (name, [method]) if is_method_setter(name) => request.methods = self.value(scope, *method).as_methods(),
            ("uri" | "url", [url]) => request.urls = self.texts(scope, *url),
            ("header" | "set" | "insert_header" | "append_header" | "set_header" | "with_header", [name, value]) => {
                for text in &self.value(scope, *name).texts {
                    let name = shown(text).to_ascii_lowercase();
                    request.headers.push(Header { name, value: (scope, *value) });
                }
            }
            ("headers", [map]) => request.headers.extend(self.headers_of(scope, *map)),
            ("json" | "body" | "form" | "body_json" | "multipart", [body]) => {
                let body = self.value(scope, *body);
                request.bodies.extend(body.texts.iter().cloned());
                // `Request { query, variables }`: the document of a GraphQL call.
                let document = body.field("query").filter(|query| query.param.is_some() || !query.texts.is_empty());
                request.bodies.extend(document.map(Value::texts_or_hole).unwrap_or_default());
            }
            _ => {}
        }
        let known = of
            .ty
            .path()
            .and_then(|path| self.types.known.returns(path, name))
            .map(|returned| Type::external(&returned.path));
        let ty = known.unwrap_or_else(|| of.ty.clone());
        Value::of(ty).with_request(request)
    }

    /// `let (http, request) = builder.build_split()`: the client that would send it, and the request.
    fn split_request(&self, of: &Value) -> Value {
        let known = &self.types.known;
        let path = of.ty.path().unwrap_or_default();
        let home = path.rsplit_once("::").map_or(path, |(home, _)| home);
        let clients = ["Client", "ClientWithMiddleware"].map(|name| format!("{home}::{name}"));
        let client = clients.iter().find(|client| known.catalog.is_type(&known.canonical(client)));
        let client = client.map_or_else(Value::default, |client| Value::of(Type::external(client)));
        let ty = known.returns(path, "build_split").map_or_else(|| of.ty.clone(), |made| Type::external(&made.path));
        let request = Value::of(ty).with_request(of.as_request());
        Value::default().with_fields(vec![("0".to_owned(), client), ("1".to_owned(), request)])
    }

    /// What statements before put into a header map.
    fn headers_of(&self, scope: Scope, map: ExprId) -> Vec<Header> {
        let Some(body) = self.types.body(scope) else { return Vec::new() };
        let mut at = map;
        while let Expr::Ref(inner) | Expr::Await(inner) | Expr::Try(inner) | Expr::Method { receiver: inner, .. } =
            body.expr(at)
        {
            at = *inner;
        }
        let Expr::Path(path) = body.expr(at) else { return Vec::new() };
        let Some(name) = path.ident() else { return Vec::new() };
        let changes = self.changes(scope, body);
        let bound = bound_of(self, scope, body, at, name);
        let puts = changes.put.of(name, bound).copied();
        puts.flat_map(|(name, value)| {
            let name = self.value(scope, name);
            let named = |text: &Text| Header { name: shown(text).to_ascii_lowercase(), value: (scope, value) };
            name.texts.iter().map(named).collect::<Vec<_>>()
        })
        .collect()
    }
}

/// Whether a method of a request, or of what one is made of, sets its HTTP method.
#[must_use]
pub fn is_method_setter(name: &str) -> bool {
    matches!(name, "method" | "method_mut" | "set_method" | "with_method")
}
