//! Clients of crates that nobody listed whose calls wait until they are answered: nothing is awaited, and what they
//! answer is taken apart as a result.

use crate::scan::ir::{BlockKind, Body, Expr, ExprId, Pat, Stmt, Ty};
use crate::scan::sinks::Context;
use crate::scan::sinks::clients::{is_at_home, serves};
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::verbs::writes;
use crate::scan::site::Resolution;
use crate::scan::types::binding::is_name;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::ty::Type;

/// How many methods of a chain are looked through for the client that it begins on.
const LINKS: usize = 16;

impl<'a> Context<'_, 'a> {
    /// `client.create_page(body)?`, and with an end of its own `manager.droplet(id).reboot().retrieve()`.
    pub(super) fn waited_for<'b>(&self, leaving: &Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        leaving.receiver?;
        let ended = leaving.args.is_empty() && ends(&leaving.name);
        let said = words(&leaving.name);
        let first = said.first()?;
        let answers = said.iter().any(|word| matches!(word.as_str(), "receive" | "recv"));
        let calls = !leaving.args.is_empty() && changes(first) && !answers;
        let told = calls && answers_by_closure(body, leaving.args) && first != "update";
        let taken = || !self.may_await(leaving, body) && self.is_taken_apart(leaving, body);
        if !ended && !calls || !told && !taken() {
            return None;
        }
        let (path, between) = self.begun_on(leaving, body)?;
        if told {
            return Some(Leaving { path, resolution: Resolution::Inferred, ..leaving.clone() });
        }
        let last = words(last_of(&path)).pop()?;
        let name = match ended {
            true => between.into_iter().find(|name| acts(name)).map(|name| format!("{name}::{}", leaving.name))?,
            false if matches!(last.as_str(), "api" | "bot" | "client" | "gateway" | "mailer" | "messenger" | "sdk") => {
                leaving.name.clone()
            }
            false => return None,
        };
        Some(Leaving { path, name, resolution: Resolution::Inferred, ..leaving.clone() })
    }

    /// Whether what a call answers may be a future: it stands in an async function or block.
    fn may_await(&self, leaving: &Leaving<'a, '_>, body: &Body) -> bool {
        let waits = |id: ExprId| {
            matches!(body.expr(id), Expr::Block { kind: BlockKind::Async, .. } | Expr::Closure { is_async: true, .. })
        };
        self.types.index.function(leaving.function).function.is_async || body.ancestors(leaving.expr).any(waits)
    }

    /// Whether what a call answers is taken apart as a result: `?`, `unwrap()`, a match on `Ok` and `Err`.
    fn is_taken_apart(&self, leaving: &Leaving<'a, '_>, body: &Body) -> bool {
        let answered = is_result(&self.types.index.function(leaving.function).function.returns);
        let bound = body.node(leaving.expr).parent.and_then(|parent| bound_to(body, parent, leaving.expr));
        match bound {
            // `let result = client.send(request); if result.is_ok() {..}`.
            Some(name) => {
                let after = body.node(leaving.expr).span.end;
                let mut uses = body.ids().filter(|id| body.node(*id).span.start >= after && is_name(body, *id, name));
                uses.any(|id| takes_apart(body, id, answered))
            }
            None => takes_apart(body, leaving.expr, answered),
        }
    }

    /// The type outside on which a chain begins, and the methods between it and the call, the last one first.
    fn begun_on<'b>(&self, leaving: &Leaving<'a, '_>, body: &'b Body) -> Option<(String, Vec<&'b str>)> {
        let (mut at, mut between) = (leaving.receiver?, Vec::new());
        for _ in 0..LINKS {
            let ty = self.outside(self.eval.ty(leaving.scope, at));
            if let Some(path) = ty.path().filter(|path| !path.ends_with("::?")) {
                let library = first_of(path);
                let fits = path.contains("::")
                    && !matches!(ty, Type::Local(..))
                    && !is_at_home(library)
                    && !serves(path)
                    && self.types.known.is_unlisted(library);
                return fits.then(|| (path.to_owned(), between));
            }
            let Expr::Method { receiver, name, .. } = body.expr(at) else { return None };
            between.push(name.as_str());
            at = *receiver;
        }
        None
    }
}

/// `ugc.create_item(app, kind, |created| ..)`: what is answered is given to a closure.
fn answers_by_closure(body: &Body, args: &[ExprId]) -> bool {
    let [_, .., last] = args else { return false };
    matches!(body.expr(*last), Expr::Closure { params, .. } if params.len() == 1)
}

/// Names that end a request which a chain made before.
pub(super) fn ends(name: &str) -> bool {
    matches!(name, "doit" | "execute" | "perform" | "retrieve" | "retrieve_json" | "retrieve_obj" | "send" | "submit")
}

/// Words that the name of a call begins with which hands something over at once: no setter begins with them.
fn changes(word: &str) -> bool {
    const CHANGES: [&str; 22] = [
        "ban",
        "broadcast",
        "buy",
        "cancel",
        "create",
        "delete",
        "deploy",
        "destroy",
        "invite",
        "notify",
        "pay",
        "place",
        "publish",
        "refund",
        "reply",
        "sell",
        "send",
        "submit",
        "transfer",
        "update",
        "upload",
        "withdraw",
    ];
    CHANGES.contains(&word)
}

/// Whether a method in a chain says what the end of it does: `create`, `reboot`; a list that is asked for has its
/// plural, `upgrades`.
fn acts(name: &str) -> bool {
    const ACTS: [&str; 9] =
        ["change", "convert", "power", "rebuild", "shutdown", "snapshot", "start", "stop", "upgrade"];
    let first = name.split('_').next().unwrap_or_default();
    writes(first) && !matches!(first, "set" | "add") || ACTS.contains(&first)
}

/// The name that a `let` in a block gives a value.
fn bound_to(body: &Body, block: ExprId, value: ExprId) -> Option<&str> {
    let Expr::Block { stmts, .. } = body.expr(block) else { return None };
    stmts.iter().find_map(|stmt| match stmt {
        Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(held), .. } if *held == value => Some(name.as_str()),
        _ => None,
    })
}

/// Whether a value is taken apart as a result where it stands; where it is what its function answers, that is told.
fn takes_apart(body: &Body, expr: ExprId, answered: bool) -> bool {
    const TAKES: [&str; 10] = [
        "context",
        "expect",
        "is_err",
        "is_ok",
        "map_err",
        "ok",
        "unwrap",
        "unwrap_or_else",
        "with_context",
        "wrap_err",
    ];
    let result = |pat: &Pat| match pat {
        Pat::TupleStruct(path, _) => matches!(path.ident(), Some("Err" | "Ok")),
        _ => false,
    };
    let Some(parent) = body.node(expr).parent else { return answered };
    match body.expr(parent) {
        Expr::Try(_) => true,
        Expr::Return(_) => answered,
        Expr::Ref(_) => takes_apart(body, parent, answered),
        Expr::Method { receiver, name, .. } if *receiver == expr => TAKES.contains(&name.as_str()),
        Expr::Match { scrutinee, arms } if *scrutinee == expr => arms.iter().any(|arm| result(&arm.pat)),
        Expr::Let(pat, _) => result(pat),
        Expr::Block { stmts, .. } => {
            let last = matches!(stmts.last(), Some(Stmt::Expr { expr: last, value: true, .. }) if *last == expr);
            last && takes_apart(body, parent, answered)
        }
        Expr::If { condition, .. } if *condition != expr => takes_apart(body, parent, answered),
        Expr::Match { arms, .. } if arms.iter().any(|arm| arm.body == expr) => takes_apart(body, parent, answered),
        _ => false,
    }
}

/// Whether a type is a result: `Result<Page, Error>`, `anyhow::Result<()>`.
fn is_result(ty: &Ty) -> bool {
    matches!(ty, Ty::Path(path) if path.segments.last().is_some_and(|last| last.name.ends_with("Result")))
}
