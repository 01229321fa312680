//! The list of what was there when the gate was switched on, so that only what is new fails a build. It only shrinks:
//! writing it again takes out what was mended and adds nothing.
//!
//! An entry names rule, function, sink, effect and which of several: no lines and no files. It hides nothing that has
//! become worse than it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Fault, Finding, Label, Level, Silenced, Silencer};
use crate::files::cannot;
use crate::gate::{Checked, Parts};
use crate::rule::Domain;
use crate::source::{Source, Span};
use crate::{lint, scan};

/// Entries, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: Vec<Entry>,
}

/// A finding that was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The rule.
    pub rule: String,
    /// Path of the function, or the file where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// Path of the call that leaves the process, or what the rule speaks of.
    pub sink: String,
    /// Which of several, counted from 1.
    pub ordinal: usize,
    /// What the call does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// How bad it was.
    pub level: Level,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    findings: Vec<Entry>,
}

/// What a finding and its entry have in common: rule, function, sink, effect and which of several.
type Key<'a> = (&'a str, &'a str, &'a str, Option<&'a str>, usize);

fn key(finding: &Finding) -> Key<'_> {
    let subject = &finding.subject;
    (finding.rule, &subject.function, &subject.sink, subject.effect.as_deref(), subject.ordinal)
}

/// The only form that there is.
const VERSION: u32 = 1;

impl Entry {
    fn of(finding: &Finding) -> Entry {
        let subject = &finding.subject;
        Entry {
            rule: finding.rule.to_owned(),
            function: subject.function.clone(),
            sink: subject.sink.clone(),
            ordinal: subject.ordinal,
            effect: subject.effect.clone(),
            level: finding.level,
        }
    }

    fn key(&self) -> Key<'_> {
        (&self.rule, &self.function, &self.sink, self.effect.as_deref(), self.ordinal)
    }

    /// Whether a check of these parts would have found it.
    fn was_looked_for(&self, parts: Parts) -> bool {
        // Exceptions stand in code and in migrations.
        if self.rule.ends_with("-allow") {
            return parts.code && parts.sql;
        }
        let code = scan::rules::ALL.iter().map(|entry| entry.rule);
        let mut rules = code.chain(lint::rules::ALL.iter().map(|entry| entry.rule));
        let domain = rules.find(|rule| rule.name == self.rule).map_or(Domain::Code, |rule| rule.domain);
        parts.cover(domain)
    }
}

impl Baseline {
    /// All that counts now.
    #[must_use]
    pub fn of(checked: &Checked) -> Baseline {
        Baseline::sorted(checked.findings.iter().map(Entry::of).collect())
    }

    /// Two branches may have written the same finding: the milder entry stays.
    fn sorted(mut entries: Vec<Entry>) -> Baseline {
        entries.sort_by(|a, b| (a.key(), a.level).cmp(&(b.key(), b.level)));
        entries.dedup_by(|later, earlier| later.key() == earlier.key());
        Baseline { entries }
    }

    /// Reads a file; `shown` is its path as people are shown it. `None` where there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read as a baseline.
    pub fn load(path: &Path, shown: &str) -> Result<Option<Baseline>, Fault> {
        match fs::read_to_string(path) {
            Ok(text) => parse(&Source::new(shown, text)).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(cannot("read", path, &error)),
        }
    }

    /// The file's text: an entry a line, so that two branches merge.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.entries.iter().filter_map(|entry| serde_json::to_string(entry).ok());
        let lines: Vec<String> = lines.map(|line| format!("\n    {line}")).collect();
        let end = if lines.is_empty() { "" } else { "\n  " };
        format!("{{\n  \"version\": {VERSION},\n  \"findings\": [{}{end}]\n}}\n", lines.join(","))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Without the entries that fit nothing any more. What was not looked for stays.
    #[must_use]
    pub fn shrunk(&self, checked: &Checked, parts: Parts) -> Baseline {
        let found: BTreeMap<Key<'_>, Level> = checked.findings.iter().map(|one| (key(one), one.level)).collect();
        let stays = |entry: &&Entry| {
            // What has become worse is not hidden, so its entry is of no use.
            !entry.was_looked_for(parts) || found.get(&entry.key()).is_some_and(|level| *level <= entry.level)
        };
        Baseline { entries: self.entries.iter().filter(stays).cloned().collect() }
    }

    /// Takes off what it lists; `shown` is its path as people are shown it.
    pub fn apply(&self, checked: &mut Checked, parts: Parts, shown: &str) {
        let findings = std::mem::take(&mut checked.findings);
        let before = findings.len();
        let hides = |finding: &Finding| found_in(&self.entries, finding);
        let (hidden, told): (Vec<Finding>, Vec<Finding>) = findings.into_iter().partition(hides);
        let used: BTreeSet<Key<'_>> = hidden.iter().map(key).collect();
        let unused = self.entries.iter().filter(|entry| !used.contains(&entry.key()));
        let stale = unused.filter(|entry| entry.was_looked_for(parts)).cloned().collect();
        checked.findings = told;
        checked.silenced.extend(hidden.into_iter().map(|finding| Silenced {
            finding,
            by: Silencer::Baseline,
            reason: format!("it was there when {shown} was written"),
            until: None,
            at: None,
        }));
        checked.silenced.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        checked.taken.by_baseline = Some(before - checked.findings.len());
        checked.taken.stale = stale;
    }
}

/// Whether an entry is this finding, and it is no worse than it was. The entries are sorted by what is theirs alone.
fn found_in(entries: &[Entry], finding: &Finding) -> bool {
    let at = entries.binary_search_by(|entry| entry.key().cmp(&key(finding)));
    at.is_ok_and(|at| entries.get(at).is_some_and(|entry| finding.level <= entry.level))
}

fn parse(source: &Source) -> Result<Baseline, Fault> {
    let help = "take the file from version control again, or remove it and write a new one with --write-baseline";
    let document: Document = serde_json::from_str(source.text()).map_err(|error| {
        let line = source.line(error.line());
        let at = Span::new((line.start + error.column().saturating_sub(1)).min(line.end), line.end);
        Fault::new(format!("this is no baseline: {error}")).at(Label::new(source, at, "here")).with_help(help)
    })?;
    if document.version != VERSION {
        let fault = Fault::new(format!("{} is a baseline of version {}", source.name(), document.version));
        return Err(fault.with_help("check with the onlyonce that wrote it, or a newer one"));
    }
    Ok(Baseline::sorted(document.findings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Subject;

    fn finding(function: &str, ordinal: usize, level: Level) -> Finding {
        let place = Label::new(&Source::new("src/a.rs", "abc"), Span::new(0, 1), "l");
        let subject = Subject { ordinal, effect: Some("send".to_owned()), ..Subject::from("post").within(function) };
        Finding::new("unguarded-send", level, "m", place).with_subject(subject)
    }

    fn checked(findings: Vec<Finding>) -> Checked {
        Checked { findings, ..Checked::default() }
    }

    const ALL: Parts = Parts { code: true, sql: true, manifest: true };

    #[test]
    fn a_written_one_reads_back_and_hides_what_it_lists() {
        let mut now = checked(vec![finding("a::g", 1, Level::Error), finding("a::f", 1, Level::Error)]);
        let baseline = Baseline::of(&now);
        assert_eq!(parse(&Source::new("b", baseline.text())).unwrap(), baseline);
        assert!(baseline.text().find("a::f") < baseline.text().find("a::g"), "sorted: {}", baseline.text());
        baseline.apply(&mut now, ALL, "b");
        assert_eq!((now.findings.len(), now.silenced.len()), (0, 2));
        assert_eq!(now.taken, super::super::Taken { by_baseline: Some(2), ..Default::default() });
        assert_eq!(parse(&Source::new("b", Baseline::default().text())).unwrap(), Baseline::default());
    }

    #[test]
    fn what_is_new_or_worse_is_told_and_what_is_gone_is_stale() {
        let baseline = Baseline::of(&checked(vec![finding("a::f", 1, Level::Note), finding("a::g", 1, Level::Error)]));
        let mut now = checked(vec![finding("a::f", 1, Level::Error), finding("a::f", 2, Level::Note)]);
        assert!(baseline.shrunk(&now, ALL).is_empty());
        baseline.apply(&mut now, ALL, "b");
        assert_eq!((now.findings.len(), now.taken.stale.len()), (2, 2));
        let mut better = checked(vec![finding("a::g", 1, Level::Warning)]);
        assert_eq!(baseline.shrunk(&better, ALL).len(), 1);
        baseline.apply(&mut better, ALL, "b");
        assert!(better.findings.is_empty());
    }

    #[test]
    fn what_was_not_looked_for_is_not_stale() {
        let baseline = Baseline::of(&checked(vec![finding("a::f", 1, Level::Error)]));
        let sql = Parts { code: false, sql: true, manifest: false };
        let mut now = checked(Vec::new());
        assert_eq!(baseline.shrunk(&now, sql).len(), 1);
        baseline.apply(&mut now, sql, "b");
        assert!(now.taken.stale.is_empty());
    }

    #[test]
    fn what_is_no_baseline_is_pointed_at() {
        for (text, place) in [("{\n  \"version\": 1,\n  x\n}", 3), ("", 1), ("[]", 1)] {
            let fault = parse(&Source::new("b.json", text)).unwrap_err();
            let label = fault.place.unwrap();
            assert_eq!(label.source.position(label.span.start).line, place, "{text}");
        }
        assert!(parse(&Source::new("b", "{\"version\":2,\"findings\":[]}")).unwrap_err().help.is_some());
    }
}
