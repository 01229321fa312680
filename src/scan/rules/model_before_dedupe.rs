//! `model-before-dedupe`

mod channels;
mod dedupe;
mod inbound;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::order::Point;
use crate::scan::guards::Act;
use crate::scan::index::{FnId, TypeId};
use crate::scan::ir::{Body, Expr, ExprId, Lit};
use crate::scan::rules::model_before_dedupe::channels::Channels;
use crate::scan::rules::model_before_dedupe::dedupe::Dedupe;
use crate::scan::rules::model_before_dedupe::inbound::{Inbound, Start};
use crate::scan::rules::{Context, Found};
use crate::scan::sinks::recipes::words;
use crate::scan::types::call::Target;
use crate::scan::types::value::Scope;

/// A delivery that is planned before it is known to be the first.
pub(super) static RULE: Rule = Rule {
    name: "model-before-dedupe",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/model-before-dedupe.md"),
};

/// Methods that ask a model, of things whose type is not known, and what such things are called.
const ASKS: [&str; 8] = ["chat", "complete", "completion", "generate", "generate_reply", "infer", "plan", "prompt"];
const MODELS: [&str; 8] = ["agent", "ai", "claude", "gpt", "llm", "model", "openai", "planner"];

/// Where deliveries are planned.
struct Planning<'p, 'c, 't, 'a> {
    context: &'p Context<'c, 't, 'a>,
    /// By function: unguarded model calls in it.
    models: BTreeMap<FnId, Vec<ExprId>>,
    /// Functions that lead to one.
    lead: BTreeSet<FnId>,
    channels: Channels,
    dedupe: Dedupe<'p, 'c, 't, 'a>,
    /// By function: the expression that plans before anything is told apart. `None` while it is looked at.
    found: RefCell<HashMap<FnId, Option<ExprId>>>,
    /// By what a channel carries: where it is taken out and planned. `None` while it is looked at.
    taken: RefCell<HashMap<TypeId, Option<(FnId, ExprId)>>>,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let planning = Planning::new(context);
    let inbound = inbound::all(context, |function| planning.may_plan(function));
    let mut told = Vec::new();
    for one in inbound {
        if planning.dedupe.before(&one) {
            continue;
        }
        let Some(at) = planning.first(one.function, one.start) else { continue };
        told.extend(finding(context, &planning, &one, at));
    }
    // Two ways in may lead to one place.
    let mut seen = BTreeSet::new();
    told.retain(|found: &Found| {
        let place = &found.finding.place;
        seen.insert((place.source.name().to_owned(), place.span.start))
    });
    told
}

fn finding(
    context: &Context<'_, '_, '_>,
    planning: &Planning<'_, '_, '_, '_>,
    inbound: &Inbound,
    at: ExprId,
) -> Option<Found> {
    let function = context.path_of(inbound.function);
    let what = match inbound.start {
        Start::Receive(_) => "what was received is planned before it is known to be the first",
        Start::Begin | Start::Closure(_) => "a delivery is planned before it is known to be the first",
    };
    let label = context.at_expr(inbound.function, at, "a repeated delivery is planned anew")?;
    let mut finding = Finding::new(RULE.name, RULE.level, what, label)
        .with_help("accept the event first, `ledger.accept_event(source, event_id, &body, None).await?`, and plan only what is `Fresh` or `Reclaimed`")
        .with_subject(&function);
    if let Some(model) = planning.model_below(inbound.function, at)
        && model != (inbound.function, at)
    {
        finding.related.extend(context.at_expr(model.0, model.1, "the model is asked here"));
    }
    if let Some(header) = drops_by_header(context, inbound.function) {
        let why = "dropping repeats by this header loses the events whose first delivery failed";
        finding.related.extend(context.at_expr(inbound.function, header, why));
    }
    Some(Found { finding, function })
}

/// The header by which a platform says that it delivers anew.
fn drops_by_header(context: &Context<'_, '_, '_>, function: FnId) -> Option<ExprId> {
    let body = context.flow.body(function)?;
    body.ids().find(|id| match body.expr(*id) {
        Expr::Lit(Lit::Str(text)) => {
            let text = text.to_lowercase();
            text.starts_with("x-") && (text.contains("retry") || text.contains("redeliver"))
        }
        _ => false,
    })
}

impl<'p, 'c, 't, 'a> Planning<'p, 'c, 't, 'a> {
    fn new(context: &'p Context<'c, 't, 'a>) -> Self {
        let mut models: BTreeMap<FnId, Vec<ExprId>> = BTreeMap::new();
        // What is embedded is looked up by, and plans nothing.
        let embeds = |act: &Act| {
            let said = words(&context.guards.types.index.function(act.function).name);
            said.iter().any(|word| word.starts_with("embed"))
        };
        let open =
            context.acts.iter().filter(|(_, act)| act.effect == Effect::Model && act.guard.is_none() && !embeds(act));
        for (_, act) in open {
            models.entry(act.function).or_default().push(act.expr);
        }
        let channels = Channels::new(context);
        let mut lead = BTreeSet::new();
        let mut waiting: Vec<FnId> = models.keys().copied().collect();
        while let Some(id) = waiting.pop() {
            if lead.insert(id) {
                waiting.extend(context.flow.graph.callers(context.guards.types, id).map(|call| call.caller));
                waiting.extend(channels.before(id));
            }
        }
        let dedupe = Dedupe::new(context);
        Planning { context, models, lead, channels, dedupe, found: RefCell::default(), taken: RefCell::default() }
    }

    /// The first expression that plans, from the start on, before anything was told apart.
    fn first(&self, function: FnId, start: Start) -> Option<ExprId> {
        let flow = &self.context.flow;
        let (body, order) = (flow.body(function)?, flow.order(function)?);
        let from = match start {
            Start::Begin => 0,
            Start::Closure(id) => order.begun(id)?,
            Start::Receive(id) => order.done(id)?,
        };
        let plans = self.plans(function, body);
        if plans.is_empty() {
            return None;
        }
        let at: HashMap<Point, ExprId> = plans.into_iter().filter_map(|id| Some((order.done(id)?, id))).collect();
        let cuts = self.dedupe.points(function, body, &order, start);
        let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
        let mut found: Option<ExprId> = None;
        while let Some(point) = waiting.pop() {
            if !seen.insert(point) || cuts.contains(&point) {
                continue;
            }
            if let Some(id) = at.get(&point) {
                let earlier = found.is_none_or(|other| body.node(*id).span.start < body.node(other).span.start);
                if earlier {
                    found = Some(*id);
                }
                continue;
            }
            waiting.extend(order.next[point].iter().map(|(to, _)| *to));
        }
        found
    }

    /// Whether anything in a function may plan: of most nothing need be looked at.
    fn may_plan(&self, function: FnId) -> bool {
        let asks = |body: &'a Body| body.ids().any(|id| self.asks(function, body, id));
        self.lead.contains(&function) || self.context.flow.body(function).is_some_and(asks)
    }

    /// Model calls of a body, and calls of functions that plan before anything is told apart.
    fn plans(&self, function: FnId, body: &'a Body) -> Vec<ExprId> {
        let mut found = self.models.get(&function).cloned().unwrap_or_default();
        found.extend(body.ids().filter(|id| self.asks(function, body, *id)));
        if self.lead.contains(&function) {
            let below = self
                .context
                .flow
                .graph
                .callees(self.context.guards.types, function)
                .filter(|call| self.lead.contains(&call.callee));
            found.extend(below.filter(|call| self.below(call.callee).is_some()).map(|call| call.expr));
            let puts = self.channels.puts(function).iter();
            found.extend(puts.filter(|(_, what)| self.behind(*what).is_some()).map(|(id, _)| *id));
        }
        found
    }

    /// Where what a channel carries is taken out and planned, the function and the expression.
    fn behind(&self, what: TypeId) -> Option<(FnId, ExprId)> {
        if let Some(found) = self.taken.borrow().get(&what) {
            return *found;
        }
        self.taken.borrow_mut().insert(what, None);
        let mut takes = self.channels.takes(what).iter();
        let found = takes.find_map(|(taker, at)| Some((*taker, self.first(*taker, Start::Receive(*at))?)));
        self.taken.borrow_mut().insert(what, found);
        found
    }

    fn below(&self, function: FnId) -> Option<ExprId> {
        if let Some(found) = self.found.borrow().get(&function) {
            return *found;
        }
        self.found.borrow_mut().insert(function, None);
        let found = self.first(function, Start::Begin);
        self.found.borrow_mut().insert(function, found);
        found
    }

    /// `llm.prompt(..)` on something of which nothing more is known.
    fn asks(&self, function: FnId, body: &'a Body, id: ExprId) -> bool {
        let Expr::Method { receiver, name, .. } = body.expr(id) else { return false };
        if !ASKS.contains(&name.as_str()) {
            return false;
        }
        let called = match body.expr(*receiver) {
            Expr::Path(path) => path.ident().unwrap_or_default(),
            Expr::Field(_, name) => name.as_str(),
            _ => "",
        };
        let named = called.split('_').any(|word| MODELS.contains(&word));
        named
            && self.context.guards.guard(Scope::Fn(function), id).is_none()
            && matches!(
                self.context.flow.eval.target(Scope::Fn(function), id),
                Target::Unknown | Target::Outside { .. }
            )
    }

    /// The model call that an expression leads to.
    fn model_below(&self, function: FnId, at: ExprId) -> Option<(FnId, ExprId)> {
        let (mut function, mut at) = (function, at);
        for _ in 0..8 {
            let next = self
                .context
                .flow
                .graph
                .callees(self.context.guards.types, function)
                .find(|call| call.expr == at && self.lead.contains(&call.callee));
            if let Some((_, what)) = self.channels.puts(function).iter().find(|(id, _)| *id == at) {
                (function, at) = self.behind(*what)?;
                continue;
            }
            let Some(next) = next else { return Some((function, at)) };
            at = self.below(next.callee)?;
            function = next.callee;
        }
        None
    }
}
