//! Whether a call is made again once it failed: in a loop that a success leaves, by recursion, by a queue.

use std::rc::Rc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::flow::Flow;
use crate::scan::flow::order::{Order, Point, Turn};
use crate::scan::flow::outcome::Outcome;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, LoopKind};
use crate::scan::types::value::Scope;

/// How a call comes to be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// By another round of this loop.
    Loop(ExprId),
    /// By this call of the function that it stands in.
    Recursion(ExprId),
    /// By this call, which puts the work back into a queue.
    Queue(ExprId),
}

/// Names of calls that put work back.
const PUTS_BACK: [&str; 12] = [
    "basic_nack",
    "nack",
    "re_enqueue",
    "re_queue",
    "reenqueue",
    "requeue",
    "reschedule",
    "retry_at",
    "retry_in",
    "retry_later",
    "schedule_retry",
    "enqueue_retry",
];

/// The calls of one function that make its work begin again.
#[derive(Default)]
pub(super) struct Back {
    /// Of the function itself, sorted.
    returns: Vec<ExprId>,
    /// Those that put work back, sorted.
    queues: Vec<ExprId>,
    /// Both, by where they are done.
    points: HashMap<Point, Vec<ExprId>>,
}

impl Back {
    fn is_empty(&self) -> bool {
        self.returns.is_empty() && self.queues.is_empty()
    }
}

/// What was seen on the way from the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    at: Point,
    failed: bool,
    /// Something was set that the loop looks at.
    told: bool,
}

/// Where the ways from a call lead.
#[derive(Default)]
struct Ways {
    failed_back: bool,
    done_back: bool,
    /// Calls that are come by, and whether after a failure.
    calls: HashSet<(ExprId, bool)>,
}

impl<'a> Flow<'_, 'a> {
    /// Whether what failed there is done again by the same function.
    #[must_use]
    pub fn again(&self, function: FnId, call: ExprId) -> Option<Again> {
        if let Some(found) = self.again.borrow().get(&(function, call)) {
            return *found;
        }
        let found = self.look_for_again(function, call);
        self.again.borrow_mut().insert((function, call), found);
        found
    }

    fn look_for_again(&self, function: FnId, call: ExprId) -> Option<Again> {
        let body = self.body(function)?;
        let inner = self.loop_around(body, call);
        let back = self.back(function, body);
        if inner.is_none() && back.is_empty() {
            return None;
        }
        let order = self.order(function)?;
        let from = order.done(call)?;
        let mut loops = std::iter::successors(inner, |id| self.loop_around(body, *id));
        let by_loop = loops.find(|id| {
            let round = order.round(*id);
            !self.is_per_item(function, body, *id, call)
                && round
                    .is_some_and(|round| self.ways(function, body, call, &order, from, Some((*id, round))).retries())
        });
        if let Some(id) = by_loop {
            return Some(Again::Loop(id));
        }
        if back.is_empty() {
            return None;
        }
        let ways = self.ways(function, body, call, &order, from, None);
        let after_failure = |ids: &[ExprId]| {
            let failed = ways.calls.iter().filter(|(id, failed)| *failed && !ways.calls.contains(&(*id, false)));
            failed.map(|(id, _)| *id).filter(|id| ids.binary_search(id).is_ok()).min()
        };
        after_failure(&back.returns).map(Again::Recursion).or_else(|| after_failure(&back.queues).map(Again::Queue))
    }

    /// The loop that holds the place, within the same closure, async block or function.
    fn loop_around(&self, body: &Body, id: ExprId) -> Option<ExprId> {
        let mut child = id;
        for holder in body.ancestors(id) {
            match body.expr(holder) {
                Expr::Loop { kind, body: inner, .. } if *inner == child || *kind == LoopKind::While => {
                    return Some(holder);
                }
                Expr::Closure { .. } => return None,
                _ => {}
            }
            child = holder;
        }
        None
    }

    /// The calls that make the work of a function begin again; every call in it asks for them.
    fn back(&self, function: FnId, body: &'a Body) -> Rc<Back> {
        if let Some(found) = self.back.borrow().get(&function) {
            return Rc::clone(found);
        }
        let own = self.graph.callees(self.types, function).filter(|call| call.callee == function);
        let returns = own.map(|call| call.expr).collect();
        let queues = body.ids().filter(|id| puts_back(body, *id) || self.hands_back(function, body, *id)).collect();
        let mut back = Back { returns, queues, points: HashMap::default() };
        if !back.is_empty()
            && let Some(order) = self.order(function)
        {
            for id in back.returns.iter().chain(&back.queues) {
                if let Some(point) = order.done(*id) {
                    back.points.entry(point).or_default().push(*id);
                }
            }
        }
        let back = Rc::new(back);
        self.back.borrow_mut().insert(function, Rc::clone(&back));
        back
    }

    /// Whether each round has something of its own that the call is about.
    fn is_per_item(&self, function: FnId, body: &'a Body, id: ExprId, call: ExprId) -> bool {
        let Expr::Loop { kind, pat, head, .. } = body.expr(id) else { return false };
        let mut items: Vec<&str> = Vec::new();
        match (kind, pat, head) {
            (LoopKind::For, Some(pat), Some(head)) if !is_count(body, *head) => {
                pat.bindings(&mut |name, _| items.push(name));
            }
            (LoopKind::While, _, Some(head)) => bound_in(body, *head, call, &mut items),
            _ => {}
        }
        !items.is_empty() && self.is_made_of(function, body, call, &items)
    }

    /// Whether any of the variables goes into what is called.
    #[must_use]
    pub fn is_made_of(&self, function: FnId, body: &'a Body, call: ExprId, names: &[&str]) -> bool {
        let mut waiting = vec![call];
        let mut seen = HashSet::default();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) || seen.len() > 2_000 {
                continue;
            }
            if let Expr::Path(path) = body.expr(at)
                && let Some(name) = path.ident()
            {
                if names.contains(&name) {
                    return true;
                }
                waiting.extend(self.names(Scope::Fn(function), body, at, name));
            }
            body.expr(at).children(&mut |child| waiting.push(child));
        }
        false
    }

    fn ways(
        &self,
        function: FnId,
        body: &'a Body,
        call: ExprId,
        order: &Rc<Order<'a>>,
        from: Point,
        within: Option<(ExprId, Point)>,
    ) -> Ways {
        let mut ways = Ways::default();
        let sets = within.map(|(id, _)| self.points_that_set(function, body, order, id)).unwrap_or_default();
        // Of a loop only its rounds are asked for.
        let back = if within.is_some() { Rc::default() } else { self.back(function, body) };
        let mut seen = HashSet::default();
        let mut waiting = vec![Seen { at: from, failed: false, told: false }];
        while let Some(here) = waiting.pop() {
            if !seen.insert(here) {
                continue;
            }
            if !self.step(function) {
                return Ways::default();
            }
            let calls = back.points.get(&here.at).into_iter().flatten();
            ways.calls.extend(calls.map(|id| (*id, here.failed)));
            let told = here.told || sets.contains(&here.at);
            for (to, turn) in &order.next[here.at] {
                if let (Some((id, round)), Some(Turn::Again(which))) = (within, turn)
                    && (*which, *to) == (id, round)
                {
                    ways.failed_back |= here.failed;
                    ways.done_back |= !here.failed && !told;
                    continue;
                }
                // Where only calls are asked for, another round is another call.
                if within.is_none() && matches!(turn, Some(Turn::Again(_))) {
                    continue;
                }
                let failed = match turn.and_then(|turn| self.outcome(function, call, &turn)) {
                    Some(Outcome::Refused) => continue,
                    Some(Outcome::Failed) => true,
                    Some(Outcome::Done) | None => here.failed,
                };
                waiting.push(Seen { at: *to, failed, told });
            }
        }
        ways
    }

    /// Variables of the loop's condition.
    fn looked_at(&self, body: &'a Body, id: ExprId) -> Vec<&'a str> {
        let Expr::Loop { kind: LoopKind::While, head: Some(head), .. } = body.expr(id) else { return Vec::new() };
        let mut names = Vec::new();
        let mut waiting = vec![*head];
        while let Some(at) = waiting.pop() {
            if let Expr::Path(path) = body.expr(at) {
                names.extend(path.ident());
            }
            body.expr(at).children(&mut |child| waiting.push(child));
        }
        names
    }

    /// Where a variable of the loop's condition is set.
    fn points_that_set(&self, function: FnId, body: &'a Body, order: &Order<'a>, id: ExprId) -> Rc<HashSet<Point>> {
        if let Some(found) = self.sets.borrow().get(&(function, id)) {
            return Rc::clone(found);
        }
        let names = self.looked_at(body, id);
        let sets = body.ids().filter(|id| match body.expr(*id) {
            Expr::Assign(operator, left, _) if operator == "=" => {
                matches!(body.expr(*left), Expr::Path(path) if path.ident().is_some_and(|name| names.contains(&name)))
            }
            _ => false,
        });
        let found: HashSet<Point> =
            if names.is_empty() { HashSet::default() } else { sets.filter_map(|id| order.done(id)).collect() };
        let found = Rc::new(found);
        self.sets.borrow_mut().insert((function, id), Rc::clone(&found));
        found
    }
}

impl Ways {
    /// A failure leads back, a success does not.
    fn retries(&self) -> bool {
        self.failed_back && !self.done_back
    }
}

/// `0..3`, `1..=max`, `iter::repeat(..)`, a schedule of pauses: what the rounds go over is no work.
fn is_count(body: &Body, id: ExprId) -> bool {
    match body.expr(id) {
        Expr::Range(..) => true,
        Expr::Method { receiver, .. } => is_count(body, *receiver),
        Expr::Ref(inner) => is_count(body, *inner),
        Expr::Path(path) => path.segments.last().is_some_and(|last| is_schedule(&last.name)),
        Expr::Call { callee, .. } => is_count(body, *callee),
        Expr::Field(_, name) => is_schedule(name),
        _ => false,
    }
}

fn is_schedule(name: &str) -> bool {
    let name = name.to_lowercase();
    ["retry", "retries", "backoff", "delay", "attempt", "pause"].iter().any(|word| name.contains(word))
}

/// Names that the condition of a `while let` binds, the call's own answer left out.
fn bound_in<'b>(body: &'b Body, condition: ExprId, call: ExprId, names: &mut Vec<&'b str>) {
    match body.expr(condition) {
        Expr::Let(pat, value) if !body.node(*value).span.contains(body.node(call).span) => {
            pat.bindings(&mut |name, _| names.push(name));
        }
        Expr::Binary(_, left, right) => {
            bound_in(body, *left, call, names);
            bound_in(body, *right, call, names);
        }
        _ => {}
    }
}

fn puts_back(body: &Body, id: ExprId) -> bool {
    let name = match body.expr(id) {
        Expr::Method { name, .. } => name.as_str(),
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
            _ => "",
        },
        _ => "",
    };
    PUTS_BACK.contains(&name)
}
