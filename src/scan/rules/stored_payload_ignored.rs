//! `stored-payload-ignored`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::scan::sinks::uses::{BODIES, chain};
use crate::scan::site::GuardKind;
use crate::scan::types::binding::{Bound, bound_of};
use crate::scan::types::value::Scope;
use crate::source::Span;

/// What is sent was built outside, and not from the payload that the ledger keeps.
pub(super) static RULE: Rule = Rule {
    name: "stored-payload-ignored",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/stored-payload-ignored.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    context.where_the_client_is_used(in_function)
}

fn in_function(context: &Context<'_, '_, '_>, id: FnId) -> Vec<Found> {
    let Some(body) = context.flow.body(id) else { return Vec::new() };
    let by_once = body.ids().filter_map(|call| {
        if !matches!(body.expr(call), Expr::Method { .. } | Expr::Call { .. }) {
            return None;
        }
        let given = context.guards.guard_call(Scope::Fn(id), call).filter(|given| given.kind == GuardKind::Once)?;
        let closure = given.body?;
        let Expr::Closure { params, body: inner, .. } = body.expr(closure) else { return None };
        let first = params.first()?;
        let payload = payload_of(body, call, given.key?)?;
        if is_unit(body, payload) || is_unit_pattern(&first.pat) {
            return None;
        }
        let kept = Kept { context, function: id, body, pat: &first.pat, payload };
        (!kept.is_sent(*inner) && sends_something(context, id, body, *inner)).then_some((call, payload))
    });
    let by_go = reservations(context, id, body);
    let told = by_once.chain(by_go).filter_map(|(call, payload)| {
        let place = context.acts_within(id, body, call, |_| true).first().copied().unwrap_or(payload);
        let label = context.at_expr(id, place, "built from what is at hand, not from what is kept")?;
        let message = "the ledger keeps a payload, and something else is sent".to_owned();
        let function = context.path_of(id);
        let mut finding = Finding::new(RULE.name, RULE.level, message, label)
            .with_help("send what the closure is given: `|payload, slot| async move { http.post(url).json(&payload).send().await? .. }`")
            .with_subject(&function);
        finding.related.extend(context.at_expr(id, payload, "this is kept"));
        Some(Found { finding, function })
    });
    told.collect()
}

/// A payload that is kept, and the pattern that takes it back.
struct Kept<'k, 'c, 't, 'a> {
    context: &'k Context<'c, 't, 'a>,
    function: FnId,
    body: &'a Body,
    pat: &'a Pat,
    /// What was given to be kept.
    payload: ExprId,
}

impl Kept<'_, '_, '_, '_> {
    /// Whether what is sent inside is made of it. Where it cannot be followed what is sent, a mention is enough.
    fn is_sent(&self, holder: ExprId) -> bool {
        if !uses(self.body, holder, self.pat) {
            return false;
        }
        let mut names = Vec::new();
        self.pat.bindings(&mut |name, _| names.push(name));
        let sends = self.context.acts_within(self.function, self.body, holder, |_| true);
        let made_of_it = |id: ExprId| self.context.flow.is_made_of(self.function, self.body, id, &names);
        sends.is_empty() || !sends.iter().all(|send| !made_of_it(*send) && self.is_from_outside(holder, *send))
    }

    /// Whether a send carries what was at hand before the payload was kept.
    fn is_from_outside(&self, holder: ExprId, send: ExprId) -> bool {
        let carried = chain(self.body, send).into_iter().filter(|(_, name, _)| BODIES.contains(name));
        let carried: Vec<ExprId> = carried.flat_map(|(_, _, args)| args.iter().copied()).collect();
        if carried.is_empty() {
            let given = self.variables(self.payload);
            return self.variables(send).iter().any(|one| given.contains(one));
        }
        let inside = self.body.node(holder).span;
        let of = carried.into_iter().flat_map(|arg| self.variables(arg)).collect::<Vec<_>>();
        !of.is_empty() && of.iter().all(|one| !inside.contains(Span::new(one.place(), one.place())))
    }

    /// The variables that an expression speaks of.
    fn variables(&self, id: ExprId) -> Vec<Bound> {
        let (mut found, mut waiting) = (Vec::new(), vec![id]);
        while let Some(at) = waiting.pop() {
            if let Expr::Path(path) = self.body.expr(at)
                && let Some(name) = path.ident()
            {
                found.extend(bound_of(&self.context.flow.eval, Scope::Fn(self.function), self.body, at, name));
            }
            self.body.expr(at).children(&mut |child| waiting.push(child));
        }
        found
    }
}

/// The argument behind the key.
fn payload_of(body: &Body, call: ExprId, key: ExprId) -> Option<ExprId> {
    let (Expr::Method { args, .. } | Expr::Call { args, .. }) = body.expr(call) else { return None };
    args.get(args.iter().position(|arg| *arg == key)? + 1).copied()
}

fn is_unit(body: &Body, id: ExprId) -> bool {
    matches!(body.expr(id), Expr::Tuple(items) if items.is_empty())
}

fn is_unit_pattern(pat: &Pat) -> bool {
    match pat {
        Pat::Tuple(parts) => parts.is_empty(),
        Pat::Typed(inner, ty) => {
            is_unit_pattern(inner) || matches!(ty, crate::scan::ir::Ty::Tuple(parts) if parts.is_empty())
        }
        _ => false,
    }
}

/// Whether anything that the pattern binds is read inside.
fn uses(body: &Body, holder: ExprId, pat: &Pat) -> bool {
    let mut names = Vec::new();
    pat.bindings(&mut |name, _| names.push(name));
    let inside = body.node(holder).span;
    body.ids().any(|id| {
        inside.contains(body.node(id).span)
            && match body.expr(id) {
                Expr::Path(path) => path.ident().is_some_and(|name| names.contains(&name)),
                Expr::Macro(of) => of
                    .tokens
                    .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                    .any(|word| names.contains(&word)),
                _ => false,
            }
    })
}

fn sends_something(context: &Context<'_, '_, '_>, id: FnId, body: &Body, holder: ExprId) -> bool {
    !context.acts_within(id, body, holder, |_| true).is_empty()
}

/// `Reservation::Go(permit, _)` of a reservation with a payload.
fn reservations<'a>(context: &Context<'_, '_, 'a>, id: FnId, body: &'a Body) -> Vec<(ExprId, ExprId)> {
    let mut found = Vec::new();
    for call in body.ids() {
        if !matches!(body.expr(call), Expr::Method { .. } | Expr::Call { .. }) {
            continue;
        }
        let Some(first) = context.guards.ledger_call(Scope::Fn(id), call, "reserve") else { continue };
        let (Expr::Method { args, .. } | Expr::Call { args, .. }) = body.expr(call) else { continue };
        let Some(payload) = args.get(first + 1).copied().filter(|payload| !is_unit(body, *payload)) else { continue };
        let kept = |pat: &'a Pat| Kept { context, function: id, body, pat, payload };
        let mut child = call;
        for holder in body.ancestors(call) {
            let ignored = match body.expr(holder) {
                Expr::Await(_) | Expr::Try(_) | Expr::Method { .. } => None,
                Expr::Match { scrutinee, arms } if *scrutinee == child => {
                    Some(arms.iter().any(|arm| ignores(&kept, &arm.pat, arm.body)).then_some(holder))
                }
                Expr::Let(pat, _) => {
                    let then = body.ancestors(holder).find_map(|at| match body.expr(at) {
                        Expr::If { then, .. } => Some(*then),
                        _ => None,
                    });
                    Some(then.filter(|then| ignores(&kept, pat, *then)))
                }
                Expr::Block { stmts, .. } => Some(stmts.iter().find_map(|stmt| match stmt {
                    Stmt::Let { pat, value: Some(value), .. } if *value == child => {
                        ignores(&kept, pat, holder).then_some(holder)
                    }
                    _ => None,
                })),
                _ => Some(None),
            };
            if let Some(ignored) = ignored {
                let ignored = ignored.filter(|holder| sends_something(context, id, body, *holder));
                found.extend(ignored.map(|holder| (holder, payload)));
                break;
            }
            child = holder;
        }
    }
    found
}

fn ignores<'k, 'c: 'k, 't: 'k, 'a: 'k>(
    kept: &dyn Fn(&'a Pat) -> Kept<'k, 'c, 't, 'a>,
    pat: &'a Pat,
    holder: ExprId,
) -> bool {
    match pat {
        Pat::TupleStruct(path, parts) => {
            match (path.segments.last().map_or("", |last| last.name.as_str()), parts.as_slice()) {
                ("Go", [_, payload]) => match payload {
                    Pat::Wild => true,
                    Pat::Tuple(parts) if parts.is_empty() => false,
                    other => !kept(other).is_sent(holder),
                },
                ("Ok", [inner]) => ignores(kept, inner, holder),
                _ => false,
            }
        }
        Pat::Or(parts) => parts.iter().any(|part| ignores(kept, part, holder)),
        _ => false,
    }
}
