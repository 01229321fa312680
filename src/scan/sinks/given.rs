//! Calls that say no more than that something is asked, told by the type of what they are given.

use crate::catalog::call::Effect;
use crate::scan::ir::{Expr, ExprId};
use crate::scan::sinks::Context;
use crate::scan::sinks::effect::{Told, reads, writes};
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::{told_by_name, words};
use crate::scan::types::binding::name_of;
use crate::scan::types::call::Target;
use crate::scan::types::known::last_of;
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

/// How many callers of a helper are looked at.
const CALLERS: usize = 64;

impl<'a> Context<'_, 'a> {
    /// Of `client.call(ListInvoices { .. })` the type of what is given; where a helper is given it, the worst of what
    /// its callers give.
    pub(super) fn by_what_is_given(&self, leaving: &Leaving<'a, '_>) -> Option<Told> {
        let own = leaving.args.iter().filter_map(|arg| self.name_given(leaving.scope, *arg));
        let of_callers = || {
            let told: Vec<(Effect, String)> = self
                .names_given_by_callers(leaving)
                .filter_map(|it| told_by_type(&it).map(|told| (told, it)))
                .collect();
            told.into_iter().max_by_key(|(told, _)| *told)
        };
        let found = own.map(|name| (told_by_type(&name), name)).find_map(|(told, name)| Some((told?, name)));
        found.or_else(of_callers).map(|(told, name)| Told::of(told, &format!("`{name}` is given")))
    }

    /// The name of the type of what is given.
    fn name_given(&self, scope: Scope, arg: ExprId) -> Option<String> {
        match self.eval.ty(scope, arg) {
            Type::Local(id, _) => return Some(self.types.index.ty(id).name.clone()),
            other => {
                if let Some(path) = other.path() {
                    return Some(last_of(path).to_owned());
                }
            }
        }
        // `methods::status::RpcStatusRequest`: a type without fields is its own value.
        let body = self.types.body(scope)?;
        let mut at = arg;
        while let Expr::Ref(inner) = body.expr(at) {
            at = *inner;
        }
        matches!(body.expr(at), Expr::Path(_)).then_some(())?;
        let name = match self.eval.path_value(scope, at) {
            Target::Outside { path, name, .. } if name.is_empty() => last_of(&path).to_owned(),
            Target::Outside { name, .. } => name,
            Target::Construct(ty) => last_of(ty.path()?).to_owned(),
            Target::Fns(_) | Target::Closure(..) | Target::Unknown => return None,
        };
        name.starts_with(char::is_uppercase).then_some(name)
    }

    fn names_given_by_callers(&self, leaving: &Leaving<'a, '_>) -> impl Iterator<Item = String> {
        let function = leaving.function;
        let of_function = self.types.body(leaving.scope).filter(|_| leaving.args.len() == 1);
        let name = of_function.and_then(|body| name_of(body, *leaving.args.first()?));
        let called = &self.types.index.function(function).function;
        let place = name.and_then(|name| called.params.iter().position(|param| param.pat.binds(name)));
        let callers = place.into_iter().flat_map(move |at| {
            self.graph.callers(self.types, function).take(CALLERS).map(move |call| (call.caller, call.expr, at))
        });
        callers.filter_map(move |(caller, call, at)| {
            let given = self.given(caller, call, function)?.get(at).copied().flatten()?;
            self.name_given(Scope::Fn(caller), given)
        })
    }
}

/// What the name of a type says: `ListInvoices`, `RpcStatusRequest`, `CreateInvoice`.
fn told_by_type(name: &str) -> Option<Effect> {
    let said = words(name);
    let first = said.first()?;
    let asks = reads(first) || reads_as_one_word(first) || said.iter().any(|word| word.starts_with("list"));
    if asks {
        return Some(Effect::Read);
    }
    let names_a_method =
        first == "rpc" && said.iter().any(|word| !matches!(word.as_str(), "method" | "request" | "rpc"));
    let changes = said.iter().any(|word| writes(word));
    told_by_name(&said).or_else(|| (names_a_method && !changes).then_some(Effect::Read))
}

/// `Fetchinvoice`, `Getinfo`: a method's name that was made a type's as it stands.
fn reads_as_one_word(word: &str) -> bool {
    ["fetch", "get"].iter().any(|verb| word.strip_prefix(verb).is_some_and(|rest| rest.len() > 2))
}
