//! What tells a repeated delivery from a new one: the ledger's `accept_event`, an insert that says whether it was the
//! first, a look into what was seen. Only where the answer is looked at.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::scan::flow::order::{Order, Point};
use crate::scan::graph::CallKind;
use crate::scan::index::{Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Lit, MacroShape, Pat, Stmt};
use crate::scan::rules::Context;
use crate::scan::rules::model_before_dedupe::inbound::{Inbound, Start};
use crate::scan::types::known::last_of;
use crate::scan::types::ty::{Names, Type};

/// Parts of names of what tells deliveries apart.
const TELLS: [&str; 16] = [
    "accept_event",
    "already_",
    "claim",
    "dedup",
    "duplicate",
    "first_time",
    "idempot",
    "insert_delivery",
    "insert_event",
    "insert_if",
    "insert_new",
    "insert_update",
    "is_new",
    "processed",
    "seen",
    "try_insert",
];

/// Verbs that, with what they are about, tell deliveries apart.
const STORES: [&str; 8] = ["add", "begin", "create", "insert", "record", "register", "save", "store"];
const DELIVERIES: [&str; 6] = ["delivery", "event", "inbound", "message_id", "update_id", "webhook"];

/// What takes a message off its queue, so that it does not come back.
const TAKES_OFF: [&str; 6] = ["ack", "commit", "commit_message", "delete_message", "mark_seen", "store_offset"];

/// How deep functions are looked into.
const DEPTH: u32 = 4;

/// Tells where deliveries are told apart; keeps what it found.
pub(super) struct Dedupe<'p, 'c, 't, 'a> {
    context: &'p Context<'c, 't, 'a>,
    functions: RefCell<HashMap<FnId, bool>>,
}

impl<'p, 'c, 't, 'a> Dedupe<'p, 'c, 't, 'a> {
    pub(super) fn new(context: &'p Context<'c, 't, 'a>) -> Self {
        Dedupe { context, functions: RefCell::default() }
    }

    /// The points of a body at which a delivery is told apart.
    pub(super) fn points(&self, function: FnId, body: &'a Body, order: &Order<'a>, start: Start) -> HashSet<Point> {
        let offsets = match start {
            Start::Receive(id) => variables(body, id),
            Start::Begin | Start::Closure(_) => Vec::new(),
        };
        let tells = |id: &ExprId| {
            let received = matches!(start, Start::Receive(_)) && takes_off(body, *id, &offsets);
            received || self.tells(function, body, *id, DEPTH)
        };
        body.ids().filter(tells).filter_map(|id| order.done(id)).collect()
    }

    fn tells(&self, function: FnId, body: &'a Body, id: ExprId, depth: u32) -> bool {
        let name = match body.expr(id) {
            Expr::Method { name, .. } => name.as_str(),
            Expr::Call { callee, .. } => match body.expr(*callee) {
                Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
                _ => "",
            },
            Expr::Lit(Lit::Str(text)) => return is_telling_sql(text) && is_looked_at(body, statement(body, id)),
            Expr::Assign(_, left, _) => return moves_on(body, *left),
            _ => return false,
        };
        if is_telling(name) || is_looked_up(body, id, name) {
            return is_looked_at(body, id);
        }
        let Some(less) = depth.checked_sub(1) else { return false };
        let below = self
            .context
            .flow
            .graph
            .callees(self.context.guards.types, function)
            .filter(|call| call.expr == id && call.kind == CallKind::Call);
        let found: Vec<FnId> = below.map(|call| call.callee).collect();
        !found.is_empty() && is_looked_at(body, id) && found.into_iter().any(|id| self.holds(id, less))
    }

    /// Whether a function tells deliveries apart.
    fn holds(&self, id: FnId, depth: u32) -> bool {
        if let Some(found) = self.functions.borrow().get(&id) {
            return *found;
        }
        self.functions.borrow_mut().insert(id, false);
        let found = self.context.flow.body(id).is_some_and(|body| body.ids().any(|at| self.tells(id, body, at, depth)));
        self.functions.borrow_mut().insert(id, found);
        found
    }

    /// Whether a delivery is told apart before it comes in: by an extractor, or by a layer of its router.
    pub(super) fn before(&self, inbound: &Inbound) -> bool {
        !matches!(inbound.start, Start::Receive(_))
            && (self.by_extractor(inbound.function) || self.by_layer(inbound.function))
    }

    fn by_extractor(&self, id: FnId) -> bool {
        let types = self.context.guards.types;
        let index = types.index;
        let names = Names::of_fn(index, types.catalog, id);
        index.function(id).function.params.iter().any(|param| {
            let Type::Local(of, _) = names.ty(&param.ty) else { return false };
            let impls = index.impls_of_type(of).iter().map(|id| index.impl_entry(*id));
            let extracts = impls.filter(|entry| match &entry.trait_def {
                Some(Def::External(path)) => last_of(path).starts_with("From"),
                _ => false,
            });
            extracts.flat_map(|entry| entry.methods.values()).any(|method| self.holds(*method, DEPTH))
        })
    }

    /// `layer(from_fn(drop_repeats))` where the handler is registered, or where that router is put together.
    fn by_layer(&self, id: FnId) -> bool {
        let types = self.context.guards.types;
        let graph = self.context.flow.graph;
        let mut level: Vec<FnId> = graph.callers(types, id).map(|call| call.caller).collect();
        for _ in 0..3 {
            let layered = level.iter().any(|router| {
                let Some(body) = self.context.flow.body(*router) else { return false };
                let given =
                    graph.callees(types, *router).filter(|call| call.kind == CallKind::Value && call.callee != id);
                given.into_iter().any(|call| is_layer(body, call.expr) && self.holds(call.callee, DEPTH))
            });
            if layered {
                return true;
            }
            level = level.iter().flat_map(|id| graph.callers(types, *id)).map(|call| call.caller).collect();
        }
        false
    }
}

fn is_layer(body: &Body, at: ExprId) -> bool {
    body.ancestors(at).take(3).any(|holder| match body.expr(holder) {
        Expr::Call { callee, .. } => matches!(body.expr(*callee), Expr::Path(path)
            if path.segments.last().is_some_and(|last| last.name.contains("from_fn"))),
        Expr::Method { name, .. } => matches!(name.as_str(), "wrap" | "wrap_fn" | "hoop" | "before" | "layer" | "with"),
        _ => false,
    })
}

fn is_telling(name: &str) -> bool {
    if TELLS.iter().any(|part| name.contains(part)) {
        return true;
    }
    let first = name.split('_').next().unwrap_or_default();
    STORES.contains(&first) && DELIVERIES.iter().any(|what| name.contains(what))
}

/// `seen.insert(id)`, `recent.contains(&id)`, `event_exists(id)`.
fn is_looked_up(body: &Body, id: ExprId, name: &str) -> bool {
    if name.contains("exists") {
        return true;
    }
    let Expr::Method { receiver, .. } = body.expr(id) else { return false };
    let mut of = *receiver;
    let called = loop {
        match body.expr(of) {
            Expr::Path(path) => break path.segments.last().map_or("", |last| last.name.as_str()),
            Expr::Field(_, name) => break name.as_str(),
            Expr::Method { receiver, .. } => of = *receiver,
            Expr::Await(inner) | Expr::Try(inner) | Expr::Ref(inner) | Expr::Unary(_, inner) => of = *inner,
            _ => break "",
        }
    };
    let remembers = ["dedup", "event_id", "handled", "processed", "recent", "seen"]
        .iter()
        .any(|word| called.to_lowercase().contains(word));
    remembers && matches!(name, "insert" | "contains" | "contains_key" | "get" | "put" | "check" | "add" | "push")
        || name == "insert" && in_condition(body, id)
}

/// `*last_history_id = ..`, `self.cursor = ..`: from there on only what is newer is asked for.
fn moves_on(body: &Body, mut place: ExprId) -> bool {
    let name = loop {
        match body.expr(place) {
            Expr::Path(path) => break path.ident().unwrap_or_default(),
            Expr::Field(_, name) => break name.as_str(),
            Expr::Unary('*', inner) => place = *inner,
            Expr::Method { receiver, .. } => place = *receiver,
            _ => return false,
        }
    };
    let words: Vec<&str> = name.split('_').collect();
    let has = |word: &str| words.contains(&word);
    has("cursor") || has("watermark") || has("last") && has("id") || has("history") && has("id")
}

fn is_telling_sql(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("on conflict") || text.contains("insert or ignore") || text.contains("insert ignore")
}

fn in_condition(body: &Body, id: ExprId) -> bool {
    let mut child = id;
    for holder in body.ancestors(id) {
        match body.expr(holder) {
            Expr::If { condition, .. } => return *condition == child,
            Expr::Await(_) | Expr::Try(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Ref(_) | Expr::Method { .. } => {
            }
            _ => return false,
        }
        child = holder;
    }
    false
}

/// The outermost expression of the statement that holds it.
fn statement(body: &Body, id: ExprId) -> ExprId {
    let mut at = id;
    for holder in body.ancestors(id) {
        match body.expr(holder) {
            Expr::Method { .. } | Expr::Call { .. } | Expr::Await(_) | Expr::Try(_) | Expr::Ref(_) => at = holder,
            Expr::Macro(of) if matches!(of.shape, MacroShape::Exprs(_)) => at = holder,
            _ => break,
        }
    }
    at
}

/// Whether the answer is used: in a condition, a `?`, a variable, as the value of its block.
fn is_looked_at(body: &Body, id: ExprId) -> bool {
    let mut child = id;
    for holder in body.ancestors(id) {
        match body.expr(holder) {
            Expr::Try(_) => return true,
            Expr::Await(_) | Expr::Ref(_) | Expr::Unary(..) => {}
            Expr::Block { stmts, .. } => {
                return stmts.iter().any(|stmt| match stmt {
                    Stmt::Let { pat, value, .. } => {
                        *value == Some(child) && !matches!(pat, Pat::Wild) && !is_unused(pat)
                    }
                    Stmt::Expr { expr, value } => *expr == child && *value,
                    Stmt::Item(_) => false,
                });
            }
            // `.ok();` looks at nothing.
            Expr::Method { name, receiver, .. } if *receiver == child && name == "ok" => {}
            _ => return true,
        }
        child = holder;
    }
    true
}

fn is_unused(pat: &Pat) -> bool {
    matches!(pat, Pat::Bind { name, .. } if name.starts_with('_'))
}

/// Variables that a call is given.
fn variables(body: &Body, id: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut waiting = vec![super::inbound::chain_top(body, id)];
    while let Some(at) = waiting.pop() {
        match body.expr(at) {
            Expr::Path(path) => names.extend(path.ident()),
            Expr::Closure { .. } => continue,
            _ => {}
        }
        body.expr(at).children(&mut |child| waiting.push(child));
    }
    names
}

/// Whether what was received does not come back from here on.
fn takes_off(body: &Body, id: ExprId, offsets: &[&str]) -> bool {
    match body.expr(id) {
        Expr::Assign(_, left, _) => {
            matches!(body.expr(*left), Expr::Path(path) if path.ident().is_some_and(|name| offsets.contains(&name)))
        }
        Expr::Method { name, .. } => TAKES_OFF.contains(&name.as_str()),
        _ => false,
    }
}
