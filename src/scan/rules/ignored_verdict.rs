//! `ignored-verdict`

use crate::diagnostic::{Finding, Level};
use crate::rule::{Domain, Rule};
use crate::scan::index::FnId;
use crate::scan::ir::{Arm, Body, Expr, ExprId, Pat, Stmt};
use crate::scan::rules::{Context, Found};
use crate::scan::types::value::Scope;

/// A reservation, or an accepted event, whose verdict nobody looks at.
pub(super) static RULE: Rule = Rule {
    name: "ignored-verdict",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/ignored-verdict.md"),
};

/// What gives a verdict, and what its good answers are called.
const ASKED: [(&str, &str, &str); 3] = [
    ("reserve", "the reservation says whether to go on", "Go"),
    ("accept_event", "the event may be a repeat", "Fresh"),
    ("accept_event_in", "the event may be a repeat", "Fresh"),
];

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    context.where_the_client_is_used(in_function)
}

fn in_function(context: &Context<'_, '_, '_>, id: FnId) -> Vec<Found> {
    let Some(body) = context.flow.body(id) else { return Vec::new() };
    let told = body.ids().filter_map(|at| {
        if !matches!(body.expr(at), Expr::Method { .. } | Expr::Call { .. }) {
            return None;
        }
        let asked = ASKED.iter().find(|(name, ..)| context.guards.ledger_call(Scope::Fn(id), at, name).is_some())?;
        if is_looked_at(body, at, asked.2) {
            return None;
        }
        let label = context.at_expr(id, at, format!("{}, and nobody asks", asked.1))?;
        let message = format!("the verdict of `{}` is not looked at, so what follows happens in any case", asked.0);
        let help = match asked.2 {
            "Go" => "act only in the arm of `Reservation::Go(permit, payload)`, or give the act to `once`",
            _ => "go on only where it is `Accepted::Fresh(claim)` or `Accepted::Reclaimed(claim)`",
        };
        let function = context.path_of(id);
        let finding = Finding::new(RULE.name, RULE.level, message, label).with_help(help).with_subject(&function);
        Some(Found { finding, function })
    });
    told.collect()
}

/// Whether the value gets to where its answers are told apart, or leaves the function.
fn is_looked_at(body: &Body, id: ExprId, good: &str) -> bool {
    let mut child = id;
    for holder in body.ancestors(id) {
        match body.expr(holder) {
            Expr::Await(_) | Expr::Try(_) | Expr::Ref(_) => {}
            Expr::Method { receiver, name, .. } if *receiver == child => match name.as_str() {
                "is_ok" | "is_err" | "ok" | "err" => return false,
                _ => {}
            },
            Expr::Match { scrutinee, arms } if *scrutinee == child => return tells_arms(arms, good),
            Expr::Let(pat, _) => return tells(pat, good),
            Expr::Block { stmts, .. } => return by_statement(body, stmts, child, good),
            _ => return true,
        }
        child = holder;
    }
    true
}

fn by_statement(body: &Body, stmts: &[Stmt], child: ExprId, good: &str) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name, inner: None, .. }, value: Some(value), .. } if *value == child => {
            let after = body.node(child).span.end;
            body.ids().any(|id| {
                body.node(id).span.start >= after
                    && matches!(body.expr(id), Expr::Path(path) if path.ident() == Some(name.as_str()))
            })
        }
        Stmt::Let { pat, value: Some(value), .. } if *value == child => tells(pat, good),
        Stmt::Expr { expr, value } => *expr == child && *value,
        Stmt::Let { .. } | Stmt::Item(_) => false,
    })
}

fn tells_arms(arms: &[Arm], good: &str) -> bool {
    arms.iter().any(|arm| tells(&arm.pat, good))
}

/// Whether a pattern looks at the verdict, or keeps it for somebody who does.
fn tells(pat: &Pat, good: &str) -> bool {
    match pat {
        Pat::TupleStruct(path, parts) => match path.segments.last().map_or("", |last| last.name.as_str()) {
            "Ok" | "Some" => parts.iter().any(|part| tells(part, good)),
            "Err" => false,
            name => name == good || matches!(name, "Reclaimed" | "Sent" | "Failed"),
        },
        Pat::Path(_) | Pat::Struct(..) => true,
        Pat::Bind { name, inner, .. } => inner.as_ref().map_or(!name.starts_with('_'), |inner| tells(inner, good)),
        Pat::Or(parts) => parts.iter().any(|part| tells(part, good)),
        Pat::Ref(inner) | Pat::Typed(inner, _) => tells(inner, good),
        Pat::Wild | Pat::Tuple(_) | Pat::Slice(_) | Pat::Lit(_) | Pat::Other => false,
    }
}
