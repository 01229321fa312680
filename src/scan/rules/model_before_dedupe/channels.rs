//! Channels within the program: a delivery that is put into one is planned where it is taken out.
//!
//! Both ends are told by the struct that the channel carries. An enum is no such sign: of its variants one may be
//! planned and another not.

use std::collections::{BTreeMap, HashMap};

use crate::scan::index::{FnId, TypeId, TypeKind};
use crate::scan::ir::{Expr, ExprId};
use crate::scan::rules::Context;
use crate::scan::types::known::last_of;
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

/// Methods that put something in.
const PUTS: [&str; 7] =
    ["blocking_send", "send", "send_async", "send_blocking", "send_timeout", "try_send", "unbounded_send"];
/// Methods that take something out.
const TAKES: [&str; 5] = ["blocking_recv", "next", "recv", "recv_async", "recv_blocking"];

/// Where what channels carry is put in, and where it is taken out.
#[derive(Default)]
pub(super) struct Channels {
    /// By function: the calls that put something in, and what.
    puts: BTreeMap<FnId, Vec<(ExprId, TypeId)>>,
    /// By what is carried: the calls that take it out.
    takes: HashMap<TypeId, Vec<(FnId, ExprId)>>,
}

impl Channels {
    pub(super) fn new(context: &Context<'_, '_, '_>) -> Channels {
        let mut channels = Channels::default();
        for function in context.functions_near(&["Sender", "Receiver"]) {
            let Some(body) = context.flow.body(function) else { continue };
            for id in body.ids() {
                let Expr::Method { receiver, name, args, .. } = body.expr(id) else { continue };
                let puts = args.len() == 1 && PUTS.contains(&name.as_str());
                if !(puts || args.is_empty() && TAKES.contains(&name.as_str())) {
                    continue;
                }
                let end = context.flow.eval.ty(Scope::Fn(function), *receiver);
                match carried(context, &end, if puts { "Sender" } else { "Receiver" }) {
                    Some(what) if puts => channels.puts.entry(function).or_default().push((id, what)),
                    Some(what) => channels.takes.entry(what).or_default().push((function, id)),
                    None => {}
                }
            }
        }
        channels
    }

    /// The calls of a function that put something in, and what.
    pub(super) fn puts(&self, function: FnId) -> &[(ExprId, TypeId)] {
        self.puts.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Where it is taken out.
    pub(super) fn takes(&self, what: TypeId) -> &[(FnId, ExprId)] {
        self.takes.get(&what).map_or(&[], Vec::as_slice)
    }

    /// The functions that put in what this one takes out.
    pub(super) fn before(&self, function: FnId) -> impl Iterator<Item = FnId> {
        let taken: Vec<TypeId> = self
            .takes
            .iter()
            .filter(|(_, places)| places.iter().any(|(taker, _)| *taker == function))
            .map(|(what, _)| *what)
            .collect();
        let puts = self.puts.iter().filter(move |(_, calls)| calls.iter().any(|(_, what)| taken.contains(what)));
        puts.map(|(putter, _)| *putter)
    }
}

/// The struct of the workspace that an end of a channel carries.
fn carried(context: &Context<'_, '_, '_>, end: &Type, last: &str) -> Option<TypeId> {
    let Type::External(path, args) = end else { return None };
    let Some(Type::Local(id, _)) = args.first().filter(|_| last_of(path).ends_with(last)) else { return None };
    matches!(context.guards.types.index.ty(*id).kind, TypeKind::Struct(_)).then_some(*id)
}
