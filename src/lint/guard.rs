//! Whether a trigger keeps rows from being changed against the rules.

use crate::schema::{Lost, Name, Origin, Replayed, Signature, Table, Trigger, literal};
use crate::sql::ddl::Enabled;
use crate::sql::{Token, TokenKind, tokens};

use super::unique::names;

/// What is known of the guard of one event.
#[derive(Clone, Debug)]
pub enum Guard<'s> {
    /// There is one.
    Stands {
        /// Its name.
        name: &'s str,
        /// The trigger.
        trigger: &'s Trigger,
    },
    /// There is a trigger, and it does not guard.
    Hollow {
        /// Its name.
        name: &'s str,
        /// Where it stopped guarding.
        at: &'s Origin,
        /// Why it is none.
        why: String,
        /// False when it may be one after all.
        sure: bool,
    },
    /// There is none.
    Missing,
}

/// The events that are to be guarded on the table of actions, with the column that an update is guarded for.
#[must_use]
pub fn guarded(status: &str) -> [(&'static str, Option<&str>); 3] {
    [("update", Some(status)), ("delete", None), ("truncate", None)]
}

/// The guard of `event` on a table; for updates, of its `status` column.
#[must_use]
pub fn guard<'s>(replayed: &'s Replayed, table: &'s Table, event: &str, status: Option<&str>) -> Guard<'s> {
    let mut best = (Guard::Missing, 0);
    for (name, trigger) in table.triggers.iter().filter(|(_, one)| one.definition.events.contains(event)) {
        let next = judge(replayed, name, trigger, status);
        let rank = match next {
            Guard::Missing => 0,
            // The one that was the guard is told, and not another beside it.
            Guard::Hollow { sure: true, .. } if would_stand(replayed, name, trigger, status) => 2,
            Guard::Hollow { sure: true, .. } => 1,
            Guard::Hollow { sure: false, .. } => 3,
            Guard::Stands { .. } => 4,
        };
        if rank > best.1 {
            best = (next, rank);
        }
    }
    best.0
}

/// Whether a trigger would guard if it were only switched on.
fn would_stand(replayed: &Replayed, name: &str, trigger: &Trigger, status: Option<&str>) -> bool {
    let on = Trigger { enabled: Enabled::Always, ..trigger.clone() };
    trigger.enabled != Enabled::Always && matches!(judge(replayed, name, &on, status), Guard::Stands { .. })
}

/// The statement that lets a guard fire again which is there and is switched off.
#[must_use]
pub fn switch_on(guard: &Guard<'_>, table: &Table, at: &Name) -> Option<String> {
    let Guard::Hollow { name, .. } = guard else { return None };
    let trigger = table.triggers.get(*name)?;
    let is_off = matches!(trigger.enabled, Enabled::Never | Enabled::Replica);
    is_off.then(|| format!("ALTER TABLE {} ENABLE ALWAYS TRIGGER {};", literal::qualified(at), literal::name(name)))
}

fn judge<'s>(replayed: &'s Replayed, name: &'s str, trigger: &'s Trigger, status: Option<&str>) -> Guard<'s> {
    let hollow = |at: &'s Origin, why: String, sure: bool| Guard::Hollow { name, at, why, sure };
    let switched = trigger.switched.as_ref().unwrap_or(&trigger.made);
    match trigger.enabled {
        Enabled::Never => return hollow(switched, format!("trigger {name} is switched off"), true),
        Enabled::Replica => return hollow(switched, format!("trigger {name} fires on replicas only"), true),
        Enabled::Origin | Enabled::Always => {}
    }
    if !trigger.made.certain {
        return hollow(&trigger.made, format!("trigger {name} may not be made"), false);
    }
    let definition = &trigger.definition;
    if let Some(status) = status {
        if !definition.columns.is_empty() && !definition.columns.contains(status) {
            return hollow(&trigger.made, format!("trigger {name} does not fire for {status}"), true);
        }
        if definition.condition.as_ref().is_some_and(|condition| !looks_at(condition, status)) {
            return hollow(
                &trigger.made,
                format!("the WHEN of trigger {name} may leave changes of {status} out"),
                false,
            );
        }
    }
    let blind = |condition: &String| !names(condition, "old") && !names(condition, "new");
    if definition.condition.as_ref().is_some_and(blind) {
        return hollow(&trigger.made, format!("the WHEN of trigger {name} looks at no row"), false);
    }
    if status.is_some() && !definition.each_row {
        return hollow(&trigger.made, format!("trigger {name} fires once a statement, and sees no row"), true);
    }
    let stops = definition.each_row && definition.timing == "before";
    match refuses(replayed, &trigger.function, status, stops) {
        Refusal::Yes => Guard::Stands { name, trigger },
        Refusal::No(at, why) => hollow(at, format!("{why}, so trigger {name} refuses nothing"), true),
        Refusal::Unknown(at, why) => hollow(at.unwrap_or(&trigger.made), why, false),
    }
}

fn looks_at(condition: &str, status: &str) -> bool {
    names(condition, status) || condition.contains('*') || names(condition, "old")
}

enum Refusal<'s> {
    Yes,
    No(&'s Origin, String),
    Unknown(Option<&'s Origin>, String),
}

/// Whether a trigger function can refuse a row: it raises an error, or gives back something else than the new row.
/// Only what fires before each row can `stop` it by that.
fn refuses<'s>(replayed: &'s Replayed, function: &Name, status: Option<&str>, stops: bool) -> Refusal<'s> {
    let signature = Signature { name: function.clone(), arguments: Vec::new() };
    let Some(routine) = replayed.schema.routines.get(&signature) else {
        return Refusal::Unknown(None, format!("function {function} is not in these migrations"));
    };
    if routine.definition.language != "plpgsql" {
        let language = &routine.definition.language;
        return Refusal::Unknown(
            Some(&routine.made),
            format!("what function {function} does in {language} was not read"),
        );
    }
    let body = &routine.definition.body;
    let words = tokens(body);
    let raises = raises(body, &words) || (stops && gives_back(body, &words, &["null", "old"]));
    if !raises && calls_others(body, &words) {
        return Refusal::Unknown(Some(&routine.made), format!("function {function} leaves the decision to another"));
    }
    if !raises {
        return Refusal::No(&routine.made, format!("function {function} raises no error"));
    }
    if catches(body, &words) {
        return Refusal::Unknown(Some(&routine.made), format!("function {function} catches its own errors"));
    }
    match status {
        Some(status) if !names(body, status) && !whole_row(body, &words) => {
            Refusal::No(&routine.made, format!("function {function} never looks at {status}"))
        }
        Some(_) | None => Refusal::Yes,
    }
}

/// RAISE that is an error: EXCEPTION, or no level at all.
fn raises(body: &str, words: &[Token]) -> bool {
    let level = ["debug", "info", "log", "notice", "warning"];
    words.windows(2).any(|pair| match pair {
        [raise, next] => raise.is_word(body, "raise") && !level.iter().any(|word| next.is_word(body, word)),
        _ => false,
    })
}

/// Whether errors are caught, and none is raised by what catches them.
fn catches(body: &str, words: &[Token]) -> bool {
    let handler = words.windows(2).position(|pair| match pair {
        [exception, when] => exception.is_word(body, "exception") && when.is_word(body, "when"),
        _ => false,
    });
    let behind = handler.and_then(|handler| words.get(handler..)).unwrap_or_default();
    !behind.is_empty() && !behind.iter().any(|word| word.is_word(body, "raise"))
}

fn gives_back(body: &str, words: &[Token], values: &[&str]) -> bool {
    words.windows(2).any(|pair| match pair {
        [give, what] => give.is_word(body, "return") && values.iter().any(|value| what.is_word(body, value)),
        _ => false,
    })
}

fn calls_others(body: &str, words: &[Token]) -> bool {
    words.iter().any(|word| ["call", "execute", "perform"].iter().any(|verb| word.is_word(body, verb)))
}

/// An error that is raised whatever the row holds, or after a look at the whole of it.
fn whole_row(body: &str, words: &[Token]) -> bool {
    let conditional = words.iter().any(|word| word.is_word(body, "if") || word.is_word(body, "case"));
    let compared = words.windows(2).any(|pair| match pair {
        [row, next] => (row.is_word(body, "old") || row.is_word(body, "new")) && next.kind != TokenKind::Symbol,
        _ => false,
    });
    !conditional || compared
}

/// The last trigger for `event` that was dropped.
#[must_use]
pub fn lost<'s>(replayed: &'s Replayed, table: &Name, event: &str) -> Option<(&'s str, &'s Origin, &'s Origin)> {
    replayed.losses.iter().rev().filter(|loss| loss.table == *table).find_map(|loss| match &loss.lost {
        Lost::Trigger(name, trigger) if trigger.definition.events.contains(event) => {
            Some((name.as_str(), &loss.made, &loss.at))
        }
        Lost::Trigger(..)
        | Lost::Table
        | Lost::Partition(_)
        | Lost::Column(_)
        | Lost::Constraint(..)
        | Lost::Index(..)
        | Lost::NotNull(_)
        | Lost::Fires(..)
        | Lost::Collation(..)
        | Lost::Ignored => None,
    })
}
