//! Comments that silence a rule: what they silence, and what is wrong with them.

use jiff::civil::Date;

use crate::diagnostic::{Finding, Label, Level, Silenced, Silencer, Subject};
use crate::lint::{Linted, rules};
use crate::source::Span;
use crate::sql::{Allow, SourceStatements};

/// Moves what the exception covers to what is silenced; what is to be said of the exception itself.
pub(super) fn heed(
    file: &SourceStatements,
    allow: &Allow,
    linted: &mut Linted,
    today: Option<Date>,
) -> Option<Finding> {
    let written = Written { file, allow };
    let Some(reason) = allow.reason.clone().filter(|_| !allow.rules.is_empty()) else {
        return Some(written.reasonless());
    };
    if let Some(until) = &allow.until
        && !until.parse::<Date>().is_ok_and(|day| today.is_none_or(|today| today <= day))
    {
        return Some(written.expired(until));
    }
    let (covered, kept) = std::mem::take(&mut linted.findings).into_iter().partition(|one| written.covers(one));
    linted.findings = kept;
    let covered: Vec<Finding> = covered;
    if covered.is_empty() {
        return Some(written.unused());
    }
    linted.silenced.extend(covered.into_iter().map(|finding| Silenced {
        finding,
        by: Silencer::Comment,
        reason: reason.clone(),
        until: allow.until.clone(),
        at: Some(Label::new(&file.source, allow.span, "allowed here")),
    }));
    None
}

struct Written<'a> {
    file: &'a SourceStatements,
    allow: &'a Allow,
}

impl Written<'_> {
    fn covers(&self, finding: &Finding) -> bool {
        self.allow.rules.iter().any(|rule| rule == finding.rule)
            && finding.place.source == self.file.source
            && overlap(finding.place.span, self.allow.covers)
    }

    fn rules(&self) -> String {
        self.allow.rules.join(", ")
    }

    fn finding(&self, rule: &'static str, level: Level, message: String, label: &str) -> Finding {
        let subject = Subject::from(format!("allow {}", self.rules())).within(self.file.source.name());
        Finding::new(rule, level, message, Label::new(&self.file.source, self.allow.span, label)).with_subject(subject)
    }

    fn reasonless(&self) -> Finding {
        let message = match self.rules() {
            rules if rules.is_empty() => "this exception cannot be read, so it silences nothing".to_owned(),
            rules => format!("this exception to {rules} gives no reason, so it silences nothing"),
        };
        self.finding("reasonless-allow", Level::Error, message, "auditors are shown the reason")
            .with_help("write `-- onlyonce: allow(key-nullable, reason = \"filled in 0009\")`")
    }

    fn expired(&self, until: &str) -> Finding {
        let rules = self.rules();
        let message = match until.parse::<Date>() {
            Ok(_) => format!("this exception to {rules} held until {until} and silences nothing any more"),
            Err(_) => format!("this exception to {rules} holds until `{until}`, which is no day"),
        };
        self.finding("expired-allow", Level::Error, message, "review it again")
            .with_help("mend what it covered, or review it and set a later day: `until = \"YYYY-MM-DD\"`")
    }

    fn unused(&self) -> Finding {
        let known = |name: &String| rules::ALL.iter().any(|lint| lint.rule.name == *name);
        let message = match self.allow.rules.iter().find(|name| !known(name)) {
            Some(name) => format!("there is no rule `{name}` for SQL to make an exception to"),
            None => format!("nothing here needs an exception to {}", self.rules()),
        };
        self.finding("unused-allow", Level::Warning, message, "allows nothing")
            .with_help("take it out, so that it cannot hide something later")
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}
