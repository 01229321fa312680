//! What decides of a call that the catalog knows whether it reads or writes: setters, names and endpoints.

use crate::catalog::call::{Call, Effect};
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt};
use crate::scan::sinks::Context;
use crate::scan::sinks::classify::{gives_people, last_words};
use crate::scan::sinks::clients::names_what_is_elsewhere;
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::{told_by_name, words};
use crate::scan::sinks::uses::{chain, names_before};
use crate::scan::sinks::verbs::{reads, writes};
use crate::scan::types::known::last_of;
use crate::scan::types::value::{Scope, shown};

impl<'a> Context<'_, 'a> {
    /// Setters that were called on the same handle (curl).
    pub(super) fn by_setters(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Told {
        let setters = leaving.known.map_or(&[][..], |(_, krate)| &krate.write_setters);
        let names = leaving.receiver.map(|receiver| handles(body, receiver)).unwrap_or_default();
        let called = body.ids().filter_map(|id| match body.expr(id) {
            Expr::Method { receiver, name: method, args, .. } => {
                let same = names.iter().any(|name| crate::scan::types::binding::is_name(body, *receiver, name));
                (same && setters.contains(method)).then_some((method, args))
            }
            _ => None,
        });
        let mut writes = called.filter(|(_, args)| {
            let texts = args.first().map(|arg| self.eval.texts(leaving.scope, *arg)).unwrap_or_default();
            !texts.first().is_some_and(|text| matches!(shown(text).as_str(), "GET" | "HEAD"))
        });
        // A handle that comes from elsewhere was set there.
        let elsewhere = names.last().is_none_or(|name| bound_here(body, name).is_none());
        match writes.next() {
            Some((setter, _)) => {
                let mut told = Told::of(self.by_words(leaving.function, &[]), &format!("`{setter}` makes it a write"));
                told.http_method = Some("POST".to_owned());
                told
            }
            None if elsewhere => Told::of(self.by_words(leaving.function, &[]), "its handle was set elsewhere"),
            None if self.is_set_beside(leaving, body, setters) => {
                Told::of(self.by_words(leaving.function, &[]), "its type makes it a write")
            }
            None => Told::of(Effect::Read, "no setter makes it a write"),
        }
    }

    /// Whether the handle is a field (`self.easy.transfer()`) and another function of the type calls such a setter.
    fn is_set_beside(&self, leaving: &Leaving<'a, '_>, body: &Body, setters: &[String]) -> bool {
        let of_self = |id: ExprId| {
            body.ids().any(|at| match body.expr(at) {
                Expr::Field(base, _) => {
                    body.node(id).span.contains(body.node(at).span)
                        && matches!(body.expr(*base), Expr::Path(path) if path.ident() == Some("self"))
                }
                _ => false,
            })
        };
        let index = self.types.index;
        let home = |at: usize| {
            let outers = std::iter::successors(Some(at), |at| index.functions[*at].outer.map(|id| id.0 as usize));
            outers.filter_map(|at| index.functions[at].impl_id).next()
        };
        let Some(own) = home(leaving.function.0 as usize) else { return false };
        let Some(receiver) = leaving.receiver else { return false };
        let held = match body.expr(body.base(receiver)) {
            Expr::Path(path) => path.ident().and_then(|name| bound_here(body, name)),
            _ => Some(receiver),
        };
        let set = |at: usize| {
            let scope = Scope::Fn(FnId(u32::try_from(at).unwrap_or(u32::MAX)));
            self.types.body(scope).is_some_and(|other| {
                other.ids().any(|id| matches!(other.expr(id), Expr::Method { name, .. } if setters.contains(name)))
            })
        };
        held.is_some_and(of_self) && (0..index.functions.len()).any(|at| home(at) == Some(own) && set(at))
    }

    /// The name of a remote procedure.
    pub(super) fn by_name(&self, leaving: &Leaving<'a, '_>, call: &Call) -> Told {
        let first = leaving
            .args
            .first()
            .and_then(|arg| self.eval.value(leaving.scope, *arg).texts.first().map(|text| shown(text)));
        // Code that tonic made: every function is named as the call that it makes.
        let made = leaving.path.starts_with("tonic::client::");
        let own = || if made { &self.types.index.function(leaving.function).name } else { &leaving.name };
        let name = first.filter(|name| !made && !name.contains("{}")).unwrap_or_else(|| own().clone());
        if made && let Some(effect) = told_by_name(&words(&name)) {
            return Told::of(effect, &format!("words of `{name}`"));
        }
        if words(&name).iter().any(|word| reads(word)) {
            return Told::of(Effect::Read, &format!("`{name}` reads"));
        }
        // Most procedures change something; those that tell people say so.
        let sends = words(&name).first().is_some_and(|first| gives_people(first));
        let effect = if made && !sends { Effect::Mutate } else { call.effect };
        Told::of(effect, &format!("`{name}` is no read"))
    }

    /// The names of the types of the receiver and of what is given.
    pub(super) fn by_endpoint(&self, leaving: &Leaving<'a, '_>, call: &Call, body: &Body) -> Told {
        let of_type = |id: ExprId| self.eval.ty(leaving.scope, id).path().map(|path| last_of(path).to_owned());
        let given = leaving.args.iter().copied().filter_map(|id| self.named_as(leaving.scope, id));
        let types: Vec<String> = leaving.receiver.and_then(of_type).into_iter().chain(given).collect();
        // `hub.jobs().query(..).doit()`: the innermost name that says something.
        let inner = names_before(body, leaving.expr).into_iter().map(str::to_owned).rev();
        for name in types.iter().cloned().chain(inner) {
            // `list_values`, and as Google names them `values_list`.
            let said = words(&name);
            // A lock is read too: `hub.try_read()`.
            let last = said.last().filter(|word| word.as_str() != "read");
            let Some(verb) = said.first().into_iter().chain(last).find(|word| reads(word) || writes(word)) else {
                continue;
            };
            if reads(verb) {
                return Told::of(Effect::Read, &format!("`{name}` reads"));
            }
            return Told::of(endpoint_effect(call.effect, &name), &format!("`{name}` writes"));
        }
        if let Some(told) = leaving.args.iter().find_map(|arg| by_its_maker(body, *arg)) {
            return told;
        }
        match types.last().filter(|name| !names_what_is_elsewhere(name)) {
            Some(name) => Told::of(endpoint_effect(call.effect, name), &format!("`{name}` is no read")),
            None => Told::of(call.effect, "told by the catalog"),
        }
    }
}

/// Of what is given and has no type the method that made it: `api.send(message.delete())`.
fn by_its_maker(body: &Body, arg: ExprId) -> Option<Told> {
    chain(body, arg).into_iter().rev().find_map(|(_, name, _)| {
        let said = words(name);
        let effect = match said.first() {
            Some(first) if reads(first) => Effect::Read,
            _ if told_by_name(&said) == Some(Effect::Mutate) => Effect::Mutate,
            _ => return None,
        };
        Some(Told::of(effect, &format!("`{name}` makes what is given")))
    })
}

/// The names that a handle has, the first one last: `let transfer = easy.transfer()` is `transfer` and `easy`.
fn handles(body: &Body, receiver: ExprId) -> Vec<&str> {
    let named = |id: ExprId| match body.expr(body.base(id)) {
        Expr::Path(path) => path.ident(),
        _ => None,
    };
    let mut names: Vec<&str> = named(receiver).into_iter().collect();
    while let Some(value) = names.last().and_then(|name| bound_here(body, name))
        && let Expr::Method { receiver, .. } = body.expr(value)
        && let Some(before) = named(*receiver)
        && !names.contains(&before)
    {
        names.push(before);
    }
    names
}

/// What a `let` of this body gives this name, where it is not made of the same name.
fn bound_here(body: &Body, name: &str) -> Option<ExprId> {
    let mut stmts = body.ids().filter_map(|id| match body.expr(id) {
        Expr::Block { stmts, .. } => Some(stmts),
        _ => None,
    });
    stmts.find_map(|stmts| {
        stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let { pat: Pat::Bind { name: bound, .. }, value: Some(value), .. } if bound == name => {
                let again = matches!(body.expr(body.base(*value)), Expr::Path(path) if path.ident() == Some(name));
                (!again).then_some(*value)
            }
            _ => None,
        })
    })
}

/// What an endpoint that is no read does: `SendMessage` sends, `EditMessage` changes, whatever most of its kin do.
fn endpoint_effect(most: Effect, name: &str) -> Effect {
    let said = words(name);
    let sends = said.first().is_some_and(|word| {
        matches!(word.as_str(), "broadcast" | "forward" | "notify" | "post" | "publish" | "reply" | "send")
    });
    match last_words(&said, &said) {
        Some(Effect::Mutate) => Effect::Mutate,
        _ if sends => Effect::Send,
        _ if most == Effect::Send => Effect::Mutate,
        _ => most,
    }
}
