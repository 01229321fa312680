//! `unrecorded-send`

use std::collections::HashSet;

use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::flow::order::{Order, Point, Turn};
use crate::scan::guards::client::Named;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::source::Span;

/// A permit that is dropped on some path without a word of what came of it.
pub(super) static RULE: Rule = Rule {
    name: "unrecorded-send",
    level: Level::Warning,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unrecorded-send.md"),
};

/// Methods that look at a permit and leave it.
const LEAVES: [&str; 5] = ["as_ref", "key", "provider_key", "slot", "time_left"];

/// A permit where it is bound.
struct Bound<'b> {
    name: &'b str,
    span: Span,
    from: Point,
}

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    context.where_the_client_is_used(in_function)
}

fn in_function(context: &Context<'_, '_, '_>, id: FnId) -> Vec<Found> {
    let Some(body) = context.flow.body(id) else { return Vec::new() };
    if !speaks_of_permits(context, id, body) {
        return Vec::new();
    }
    let Some(order) = context.flow.order(id) else { return Vec::new() };
    let told = permits(context, id, body, &order).into_iter().filter_map(|bound| {
        let leaves = lost(body, &order, &bound)?;
        Some(finding(context, id, body, &order, &bound, leaves))
    });
    told.collect()
}

fn speaks_of_permits(context: &Context<'_, '_, '_>, id: FnId, body: &Body) -> bool {
    let is_go = |pat: &Pat| go(pat).is_some();
    is_given(context, id).next().is_some()
        || body.ids().any(|at| match body.expr(at) {
            Expr::Match { arms, .. } => arms.iter().any(|arm| is_go(&arm.pat)),
            Expr::Let(pat, _) => is_go(pat),
            Expr::Block { stmts, .. } => stmts.iter().any(|stmt| matches!(stmt, Stmt::Let { pat, .. } if is_go(pat))),
            _ => false,
        })
}

/// Parameters that are permits.
fn is_given<'c>(context: &'c Context<'_, '_, '_>, id: FnId) -> impl Iterator<Item = (&'c str, Span)> {
    let entry = context.guards.types.index.function(id);
    entry.function.params.iter().filter_map(|param| {
        let (named, _) = context.guards.client.of_ty(entry.module, &param.ty)?;
        match &param.pat {
            Pat::Bind { name, span, .. } if named == Named::Permit && !is_reference(&param.ty) => {
                Some((name.as_str(), *span))
            }
            _ => None,
        }
    })
}

fn is_reference(ty: &crate::scan::ir::Ty) -> bool {
    matches!(ty, crate::scan::ir::Ty::Ref(_))
}

/// The permit that `Reservation::Go(permit, _)` takes out.
fn go(pat: &Pat) -> Option<(&str, Span)> {
    match pat {
        Pat::TupleStruct(path, parts) => {
            let names = path.names();
            match names.as_slice() {
                [.., "Reservation", "Go"] | ["Go"] => match parts.first()? {
                    Pat::Bind { name, span, .. } => Some((name, *span)),
                    Pat::Wild => None,
                    _ => None,
                },
                [.., "Ok" | "Some"] => parts.iter().find_map(go),
                _ => None,
            }
        }
        Pat::Ref(inner) | Pat::Typed(inner, _) => go(inner),
        Pat::Or(parts) => parts.iter().find_map(go),
        _ => None,
    }
}

fn permits<'b>(context: &'b Context<'_, '_, '_>, id: FnId, body: &'b Body, order: &Order<'b>) -> Vec<Bound<'b>> {
    let mut found: Vec<Bound<'b>> = is_given(context, id).map(|(name, span)| Bound { name, span, from: 0 }).collect();
    for (to, turn) in order.next.iter().flatten() {
        let pat: Option<&'b Pat> = match turn {
            Some(Turn::Fits(pat, _, true)) => Some(pat),
            Some(Turn::Arm(id, position)) => match body.expr(*id) {
                Expr::Match { arms, .. } => arms.get(*position).map(|arm| &arm.pat),
                _ => None,
            },
            _ => None,
        };
        if let Some((name, span)) = pat.and_then(go)
            && !found.iter().any(|other| other.span == span)
        {
            found.push(Bound { name, span, from: *to });
        }
    }
    found
}

/// How a way leaves without a record: the `?`, or `None` for an end of the scope.
fn lost(body: &Body, order: &Order<'_>, bound: &Bound<'_>) -> Option<Option<ExprId>> {
    let recorded: HashSet<Point> =
        body.ids().filter(|id| gives_away(body, *id, bound)).filter_map(|id| order.done(id)).collect();
    let mut seen = HashSet::new();
    let mut waiting: Vec<(Point, Option<ExprId>)> = vec![(bound.from, None)];
    let mut plain = None;
    while let Some((at, by)) = waiting.pop() {
        if recorded.contains(&at) || !seen.insert((at, by.is_some())) {
            continue;
        }
        if at == order.exit {
            if by.is_some() {
                return Some(by);
            }
            plain = Some(None);
        }
        for (to, turn) in &order.next[at] {
            let by = match turn {
                Some(Turn::Try(inner, false)) => by.or(Some(*inner)),
                Some(Turn::Again(_)) => continue,
                _ => by,
            };
            waiting.push((*to, by));
        }
    }
    plain
}

/// Whether the expression is the permit where it is recorded or moved on.
fn gives_away(body: &Body, id: ExprId, bound: &Bound<'_>) -> bool {
    let mentions = matches!(body.expr(id), Expr::Path(path) if path.ident() == Some(bound.name));
    if !mentions || body.node(id).span.start < bound.span.start {
        return holds_it(body, id, bound);
    }
    let Some(parent) = body.node(id).parent else { return true };
    match body.expr(parent) {
        Expr::Method { receiver, name, .. } if *receiver == id => !LEAVES.contains(&name.as_str()),
        Expr::Call { callee, args } => {
            let drops = matches!(body.expr(*callee), Expr::Path(path)
                if path.segments.last().is_some_and(|last| matches!(last.name.as_str(), "drop" | "forget")));
            args.contains(&id) && !drops
        }
        Expr::Ref(_) | Expr::Field(..) => false,
        Expr::Block { stmts, .. } => {
            !stmts.iter().any(|stmt| matches!(stmt, Stmt::Let { pat: Pat::Wild, value, .. } if *value == Some(id)))
        }
        _ => true,
    }
}

/// A closure or an unread macro that speaks of it takes it along.
fn holds_it(body: &Body, id: ExprId, bound: &Bound<'_>) -> bool {
    match body.expr(id) {
        Expr::Closure { .. } => {
            let inside = body.node(id).span;
            inside.start > bound.span.start
                && body.ids().any(|at| {
                    inside.contains(body.node(at).span)
                        && matches!(body.expr(at), Expr::Path(path) if path.ident() == Some(bound.name))
                })
        }
        Expr::Macro(of) => {
            matches!(of.shape, crate::scan::ir::MacroShape::Tokens(_))
                && of
                    .tokens
                    .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                    .any(|word| word == bound.name)
        }
        _ => false,
    }
}

fn finding(
    context: &Context<'_, '_, '_>,
    id: FnId,
    body: &Body,
    order: &Order<'_>,
    bound: &Bound<'_>,
    leaves: Option<ExprId>,
) -> Found {
    let entry = context.guards.types.index.function(id);
    let source = &context.guards.types.index.files[entry.file].source;
    let reached = reachable(order, bound.from);
    let act = context
        .acts
        .iter()
        .find(|(_, act)| act.function == id && order.done(act.expr).is_some_and(|at| reached.contains(&at)));
    let at_permit = |text: &str| Label::new(source, bound.span, text);
    let (place, related) = match act {
        Some((site, act)) => {
            (context.at_act(site, act, "what comes of it is not recorded on every way"), Some(at_permit("the permit")))
        }
        None => (at_permit("the permit is dropped on some way"), None),
    };
    let message =
        "the permit is dropped without a record on some way, so the action stays open until it is swept to unknown"
            .to_owned();
    let function = context.path_of(id);
    let mut finding = Finding::new(RULE.name, RULE.level, message, place)
        .with_help("record on every way: `sent`, `rejected`, `not_attempted` or `unknown`; or give the act to `once`, which records what the closure answers")
        .with_subject(&function);
    finding.related.extend(related);
    if let Some(inner) = leaves {
        let at = body.node(inner).parent.unwrap_or(inner);
        finding.related.extend(context.at_expr(id, at, "this way leaves with nothing recorded"));
    }
    Found { finding, function }
}

fn reachable(order: &Order<'_>, from: Point) -> HashSet<Point> {
    let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
    while let Some(at) = waiting.pop() {
        if seen.insert(at) {
            waiting.extend(order.next[at].iter().map(|(to, _)| *to));
        }
    }
    seen
}
