//! Calls that say no more than that something is asked, told by the type of what they are given.

use crate::catalog::call::Effect;
use crate::scan::ir::{Expr, ExprId};
use crate::scan::sinks::Context;
use crate::scan::sinks::clients::is_at_home;
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::{told_by_name, words};
use crate::scan::sinks::verbs::{reads, writes};
use crate::scan::types::call::Target;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

impl<'a> Context<'_, 'a> {
    /// Of `client.call(ListInvoices { .. })` the type of what is given; where a helper is given it, the worst of what
    /// its callers give.
    pub(super) fn by_what_is_given(&self, leaving: &Leaving<'a, '_>) -> Option<Told> {
        let own = leaving.args.iter().filter_map(|arg| self.named_as(leaving.scope, *arg));
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

    /// The name of the type of what is given; where a chain of setters hides it, of what the chain begins with:
    /// `AnswerCallbackQuery::new(id).text(..)`.
    pub(super) fn named_as(&self, scope: Scope, arg: ExprId) -> Option<String> {
        match self.eval.ty(scope, arg) {
            Type::Local(id, _) => return Some(self.types.index.ty(id).name.clone()),
            other => {
                if let Some(path) = other.path().filter(|path| !path.ends_with("::?")) {
                    // A `Duration` or a text says nothing.
                    let says = last_of(path).starts_with(char::is_uppercase) && !is_at_home(first_of(path));
                    return (says && path != "String").then(|| named_by(path.rsplit("::")));
                }
            }
        }
        let body = self.types.body(scope)?;
        let base = body.base(arg);
        let Expr::Call { callee, .. } = body.expr(base) else { return self.named_by_itself(scope, base) };
        let Expr::Path(path) = body.expr(*callee) else { return None };
        let until = path.segments.len().checked_sub(2)?;
        let of = path.segments.get(..=until)?;
        of.last()?
            .name
            .starts_with(char::is_uppercase)
            .then(|| named_by(of.iter().rev().map(|segment| segment.name.as_str())))
    }

    /// `methods::status::RpcStatusRequest`: a type without fields is its own value.
    fn named_by_itself(&self, scope: Scope, value: ExprId) -> Option<String> {
        let name = match self.eval.path_value(scope, value) {
            Target::Outside { path, name, .. } if name.is_empty() => last_of(&path).to_owned(),
            Target::Outside { name, .. } => name,
            Target::Construct(ty) => last_of(ty.path()?).to_owned(),
            Target::Unknown => match self.types.body(scope)?.expr(value) {
                Expr::Path(path) => path.segments.last()?.name.clone(),
                _ => return None,
            },
            Target::Fns(_) | Target::Closure(..) => return None,
        };
        name.starts_with(char::is_uppercase).then_some(name)
    }

    fn names_given_by_callers(&self, leaving: &Leaving<'a, '_>) -> impl Iterator<Item = String> {
        let only = match leaving.args {
            [only] if leaving.scope == Scope::Fn(leaving.function) => Some(*only),
            _ => None,
        };
        let given = only.and_then(|only| self.given_by_callers(leaving.function, only));
        given.into_iter().flatten().filter_map(|(caller, given)| self.named_as(Scope::Fn(caller), given))
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
    told_by_name(&said).or_else(|| (names_a_method && !changes).then_some(Effect::Read)).or_else(|| {
        match first.as_str() {
            "forward" | "reply" | "send" => Some(Effect::Send),
            "forget" | "join" | "knock" | "redact" => Some(Effect::Mutate),
            first => writes(first).then_some(Effect::Mutate),
        }
    })
}

/// `Fetchinvoice`, `Getinfo`: a method's name that was made a type's as it stands.
fn reads_as_one_word(word: &str) -> bool {
    ["fetch", "get"].iter().any(|verb| word.strip_prefix(verb).is_some_and(|rest| rest.len() > 2))
}

/// The name of a type, of its path from behind; of `join_room_by_id::v3::Request` that of the module which says what is
/// requested.
fn named_by<'p>(mut path: impl Iterator<Item = &'p str>) -> String {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    let last = path.next().unwrap_or_default();
    let module = if last == "Request" { path.find(|part| !is_version(part)) } else { None };
    module.filter(|module| module.contains('_')).unwrap_or(last).to_owned()
}

/// Whether a type is one that ids have, and no order: a text, a number, a UUID.
pub(super) fn is_an_id(ty: &Type) -> bool {
    ty.path().is_some_and(|path| {
        let last = last_of(path);
        matches!(last, "str" | "String" | "Uuid" | "i32" | "i64" | "u32" | "u64" | "u128" | "usize")
            || last.ends_with("Id")
    })
}
