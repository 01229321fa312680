//! What a server or the way to it refuses, as a fault that says what to do.

use std::error::Error as _;

use postgres::Error;
use postgres::error::{DbError, SqlState};

use crate::diagnostic::Fault;
use crate::duration;
use crate::escape::shown;
use crate::live::Ledger;
use crate::live::address::Address;

/// What was being done, which decides whose right is missing and what a lost connection means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// A view is read.
    Reading,
    /// A person's decision is written.
    Deciding,
    /// What was sent without the ledger is written.
    Importing,
    /// A person's data is taken away.
    Erasing,
    /// A pause begins or ends.
    Pausing,
    /// The sweep or the purge.
    Upkeep,
}

impl Doing {
    /// What a role may not.
    fn verb(self) -> &'static str {
        match self {
            Doing::Reading => "read",
            Doing::Deciding => "decide what waits",
            Doing::Importing => "import",
            Doing::Erasing => "erase",
            Doing::Pausing => "pause or resume",
            Doing::Upkeep => "sweep or purge",
        }
    }

    /// The ending of the role that may.
    fn role(self) -> &'static str {
        match self {
            Doing::Reading => "monitor",
            Doing::Deciding | Doing::Importing | Doing::Erasing | Doing::Pausing => "operator",
            Doing::Upkeep => "maintenance",
        }
    }
}

/// Why there is no connection.
pub(super) fn unreachable(error: &Error, address: &Address) -> Fault {
    let Some(said) = error.as_db_error() else {
        let fault = Fault::new(format!("cannot reach {}: {}", address.shown(), causes(error)));
        return match tls_help(error) {
            Some(help) => fault.with_help(help),
            None => fault.with_help("is the server up, and does --database-url or DATABASE_URL name it"),
        };
    };
    let fault = Fault::new(format!("{} refuses the connection: {}", address.shown(), shown(said.message())));
    match said.code().code() {
        "28P01" | "28000" => fault.with_help("look at user, password and sslmode of the address, and at pg_hba.conf"),
        "3D000" => fault.with_help("name the database that holds the ledger"),
        "53300" => fault.with_help("no connection is free: raise max_connections, or go through a pooler"),
        _ => fault,
    }
}

/// Whoever took the connection says nothing.
pub(super) fn silent(address: &Address) -> Fault {
    let patience = duration::format(address.patience());
    Fault::new(format!("{} did not answer within {patience}", address.shown()))
        .with_help("is the server up and its network open; connect_timeout in the address sets another limit")
}

fn tls_help(error: &Error) -> Option<&'static str> {
    let text = causes(error);
    if text.contains("does not support TLS") || text.contains("no TLS") {
        return Some("turn ssl on at the server, or write sslmode=disable if the way to it is safe without");
    }
    if text.contains("certificate") {
        return Some(
            "name the certificate of its signer with sslrootcert=FILE; sslmode=verify-full wants the host's name in it too",
        );
    }
    None
}

/// The error with what caused it, outermost first, none twice.
fn causes(error: &Error) -> String {
    let mut parts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        cause = inner.source();
    }
    shown(&parts.join(": ")).into_owned()
}

/// Why a statement was refused.
pub(super) fn told(error: &Error, doing: Doing, ledger: &Ledger) -> Fault {
    match error.as_db_error() {
        Some(said) if !is_ending(said) => refused(said, doing, ledger),
        Some(said) => lost(&shown(said.message()), doing, ledger),
        None => lost(&causes(error), doing, ledger),
    }
}

/// Whether the server ends the connection: that may come while a commit is being waited for.
fn is_ending(said: &DbError) -> bool {
    let code = said.code().code();
    code.starts_with("08") || code.starts_with("57P")
}

fn lost(why: &str, doing: Doing, ledger: &Ledger) -> Fault {
    let fault = Fault::new(format!("the connection to {} was lost: {why}", ledger.place));
    match doing {
        Doing::Deciding => {
            fault.with_help("whether the decision was kept is not known: look with `onlyonce queue show`")
        }
        Doing::Importing | Doing::Erasing | Doing::Pausing => {
            fault.with_help("whether it was kept is not known; the same command once more is harmless")
        }
        Doing::Upkeep => fault.with_help("what was done before is kept; run it again once the server is back"),
        Doing::Reading => fault,
    }
}

/// Whether a statement was refused for its own values or a row that it met, so that others may fare better.
pub(super) fn is_of_one(error: &Error) -> bool {
    let code = error.as_db_error().map_or("", |said| said.code().code());
    // Values that are no such time or text, a deadlock, a lock or an answer that did not come in time.
    ["OO", "22", "40"].iter().any(|class| code.starts_with(class)) || ["55P03", "57014"].contains(&code)
}

fn refused(said: &DbError, doing: Doing, ledger: &Ledger) -> Fault {
    let message = shown(said.message()).into_owned();
    let hint = said.hint().map(lowered);
    let of_ledger = |help: &str| Fault::new(message.clone()).with_help(hint.as_deref().unwrap_or(help));
    match (said.code().code(), doing) {
        ("OO002", Doing::Importing) => of_ledger("types are named as in onlyonce.toml"),
        ("OO002", _) => of_ledger("`onlyonce queue list` shows types and sources as the ledger has them"),
        ("OO003", Doing::Importing) => of_ledger("give the key as the ledger has it, and the time at the provider"),
        ("OO003", _) => of_ledger("say who decides and on what evidence"),
        ("OO004", Doing::Importing) => {
            of_ledger("what waits in `onlyonce queue list` can be abandoned on this evidence")
        }
        ("OO004", Doing::Deciding) if message.starts_with("a worker") => {
            of_ledger("wait for the worker: if it records nothing until then, `onlyonce queue list` shows it")
        }
        ("OO004", _) => {
            of_ledger("what is sent, processed or abandoned is final; `onlyonce queue list` shows what is not")
        }
        ("OO005", _) => {
            of_ledger("until then nothing can show that it was not sent; sent and abandon can be decided before")
        }
        ("OO006", _) => {
            of_ledger("it has moved on meanwhile: run `onlyonce queue show` again, and decide on what it shows")
        }
        // A transaction that somebody left open; the ledger says whose.
        ("55P03", Doing::Pausing) => of_ledger("look for it in pg_stat_activity, and end it"),
        ("P0002", _) => of_ledger("`onlyonce queue list` shows types and keys as the ledger has them"),
        (code, _) => of_server(code, message, said, doing, ledger),
    }
}

/// A hint of the ledger in the form of a help: lower case, no full stop.
fn lowered(hint: &str) -> String {
    let hint = shown(hint).trim_end_matches('.').to_owned();
    let mut letters = hint.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn of_server(code: &str, message: String, said: &DbError, doing: Doing, ledger: &Ledger) -> Fault {
    let Ledger { schema, place, .. } = ledger;
    let role = shown(&ledger.role);
    match code {
        "42501" => Fault::new(format!("{role} may not {} in {place}: {message}", doing.verb())).with_help(format!(
            "members of {schema}_{} may: connect as one, or GRANT {schema}_{} TO {role}",
            doing.role(),
            doing.role()
        )),
        "3F000" | "42P01" | "42883" if ledger.adopted => Fault::new(format!("there is no ledger {place}: {message}"))
            .with_help(
                "the manifest adopts a ledger of your own, and this command is for that of onlyonce; for yours there are \
                 `onlyonce verify` and `onlyonce emit --adopt`",
            ),
        "3F000" | "42P01" | "42883" => Fault::new(format!("there is no ledger {place}: {message}"))
            .with_help("apply the migrations that `onlyonce emit` wrote, or name its schema with --schema"),
        "42703" => Fault::new(format!("the ledger {place} is of another version: {message}"))
            .with_help("apply the migrations that `onlyonce emit` writes"),
        "25006" => Fault::new(format!("{place} cannot be written to: {message}"))
            .with_help("name the primary: target_session_attrs=read-write picks it from several hosts"),
        "57014" => Fault::new(format!("{place} did not answer in time: {message}"))
            .with_help("look for what blocks it in pg_stat_activity"),
        _ => {
            let detail = said.detail().map(|detail| format!(" ({})", shown(detail))).unwrap_or_default();
            Fault::new(format!("{place} refused: {message}{detail} [{}]", SqlState::code(said.code())))
        }
    }
}
