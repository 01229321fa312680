//! Event ids are forgotten before their sender stops repeating them.

use std::time::Duration;

use super::{Context, found};
use crate::diagnostic::{Finding, Level};
use crate::duration;
use crate::lint::Keyed;
use crate::rule::{Domain, Rule};
use crate::schema::Origin;
use crate::sql::cursor::literal;
use crate::sql::ddl::Verb;
use crate::sql::{Token, tokens};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "retention-too-short",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/retention-too-short.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let Some(inbound) = &context.ledger.inbound else { return Vec::new() };
    let need =
        |source: &crate::lint::Source| (source.retention.max(source.least.unwrap_or_default()), source.name.clone());
    let Some((needed, source)) = context.subject.sources.iter().map(need).max() else { return Vec::new() };
    let short = |purge: Purge<'_>| match purge.age {
        Some(age) if age < needed => {
            let message = format!("rows of {} are deleted after {}", inbound.table, duration::format(age));
            let label = format!("{source} may repeat an event for {}", duration::format(needed));
            let help = format!("write interval '{} days' or more", needed.as_secs().div_ceil(86_400));
            Some(found(&RULE, super::verdict(purge.at.certain), purge.at, message, label).with_help(help))
        }
        Some(_) | None => None,
    };
    purges(context, inbound).into_iter().filter_map(short).collect()
}

/// A DELETE on the inbound table, and the age that its condition gives.
pub(super) struct Purge<'c> {
    pub(super) at: &'c Origin,
    pub(super) age: Option<Duration>,
}

/// Every DELETE in migrations and routines, and in the text that a scheduler is given.
pub(super) fn purges<'c>(context: &Context<'c>, inbound: &Keyed) -> Vec<Purge<'c>> {
    if context.table(inbound).is_none() {
        return Vec::new();
    }
    let writes =
        context.replayed.writes.iter().filter(|write| write.verb == Verb::Delete && write.table == inbound.table);
    let mut found: Vec<Purge<'c>> = writes.map(|write| Purge { at: &write.at, age: age(write.at.text()) }).collect();
    for routine in context.schema.routines.values() {
        let deletes = deletes(&routine.definition.body, &inbound.table.name);
        found.extend(deletes.into_iter().map(|text| Purge { at: &routine.made, age: age(text) }));
    }
    found
}

/// The DELETE statements of a body that name the table.
fn deletes<'b>(body: &'b str, table: &str) -> Vec<&'b str> {
    let words = tokens(body);
    let starts = words.windows(2).enumerate().filter(|(index, pair)| match pair {
        [delete, from] => {
            let next = words.get(index + 2..(index + 6).min(words.len())).unwrap_or_default();
            delete.is_word(body, "delete")
                && from.is_word(body, "from")
                && next.iter().any(|word| word.name(body).as_deref() == Some(table))
        }
        _ => false,
    });
    starts.filter_map(|(_, pair)| body.get(pair.first()?.span.start..)?.split(';').next()).collect()
}

/// The longest interval that is written in a text, as PostgreSQL reads it.
fn age(text: &str) -> Option<Duration> {
    let words = tokens(text);
    let is_interval = |index: usize, token: &Token| {
        let before = index
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|word| word.is_word(text, "interval"));
        let cast = words.get(index + 1).is_some_and(|word| word.is_symbol(text, "::"))
            && words.get(index + 2).is_some_and(|word| word.is_word(text, "interval"));
        (before || cast).then(|| literal(*token, text)).flatten()
    };
    let intervals = words.iter().enumerate().filter_map(|(index, token)| is_interval(index, token));
    intervals.filter_map(|one| interval(&one)).max()
}

/// `14 days`, `1 month 2 hours`; a month counts as 30 days.
fn interval(text: &str) -> Option<Duration> {
    let mut words = text.split_whitespace();
    let mut seconds = 0u64;
    while let Some(number) = words.next() {
        let number: u64 = number.parse().ok()?;
        let unit = match words.next()?.trim_end_matches('s') {
            "second" | "sec" => 1,
            "minute" | "min" => 60,
            "hour" => 3_600,
            "day" => 86_400,
            "week" => 7 * 86_400,
            "month" | "mon" => 30 * 86_400,
            "year" => 365 * 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
    }
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_where_they_are_written() {
        let days = |count: u64| Some(Duration::from_secs(count * 86_400));
        assert_eq!(age("DELETE FROM t WHERE at < now() - interval '14 days'"), days(14));
        assert_eq!(age("DELETE FROM t WHERE at < now() - '2 weeks'::interval"), days(14));
        assert_eq!(age("DELETE FROM t WHERE note = '3 days'"), None);
        assert_eq!(age("DELETE FROM t WHERE at < now() - interval 'P3D'"), None);
    }
}
