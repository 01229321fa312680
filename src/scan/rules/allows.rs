//! Reviewed exceptions: `// onlyonce: allow(..)` comments and `[[scan.allow]]` of the manifest.

use crate::diagnostic::{Finding, Label, Silenced, Silencer};
use crate::manifest::{Allow, Manifest};
use crate::scan::ir::{AllowComment, FileSummary};
use crate::scan::rules::{Found, Outcome};

/// A finding that a person has allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The finding.
    pub finding: Finding,
    /// The function that it is in; empty outside of any.
    pub function: String,
    /// Why it is allowed.
    pub reason: String,
    /// The last day on which it is, as `YYYY-MM-DD`.
    pub until: Option<String>,
    /// Where it is allowed.
    pub allowed_at: Label,
    /// How: by a comment, or by the manifest.
    pub by: Silencer,
}

impl From<Exception> for Silenced {
    fn from(exception: Exception) -> Silenced {
        let Exception { finding, reason, until, allowed_at, by, function: _ } = exception;
        Silenced { finding, by, reason, until, at: Some(allowed_at) }
    }
}

/// One exception as written.
#[derive(Clone, Copy, Debug)]
pub enum Written<'a> {
    /// A comment, and the file that it stands in.
    Comment(&'a FileSummary, &'a AllowComment),
    /// An entry of the manifest.
    Entry(&'a Manifest, &'a Allow),
}

/// Why an exception silences nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Void {
    /// The comment cannot be read.
    Unreadable,
    /// It gives no reason.
    Reasonless,
    /// Its last day, which has passed or is no day.
    Expired(String),
}

/// Every exception, and which of them silenced something.
pub struct Allows<'a> {
    written: Vec<(Written<'a>, Option<Void>, bool)>,
}

impl<'a> Allows<'a> {
    /// All of the files and of the manifest.
    #[must_use]
    pub fn new(files: &'a [FileSummary], manifest: Option<&'a Manifest>, today: jiff::civil::Date) -> Allows<'a> {
        let comments = files.iter().flat_map(|file| file.allows.iter().map(move |allow| Written::Comment(file, allow)));
        let entries = manifest
            .into_iter()
            .flat_map(|manifest| manifest.scan.allows.iter().map(move |allow| Written::Entry(manifest, allow)));
        Allows { written: comments.chain(entries).map(|written| (written, written.void(today), false)).collect() }
    }

    /// Takes off what is allowed, and remembers by what.
    pub fn apply(&mut self, found: Vec<Found>) -> Outcome {
        let mut outcome = Outcome::default();
        for found in found {
            let mut silenced = None;
            for (written, void, used) in &mut self.written {
                if void.is_none() && written.allows(&found) {
                    *used = true;
                    silenced = silenced.or(Some(*written));
                }
            }
            match silenced {
                Some(written) => outcome.exceptions.push(written.exception(found)),
                None => outcome.findings.push(found.finding),
            }
        }
        outcome
    }

    /// Exceptions that silence nothing because of what they lack.
    pub fn void(&self) -> impl Iterator<Item = (Written<'a>, &Void)> {
        self.written.iter().filter_map(|(written, void, _)| Some((*written, void.as_ref()?)))
    }

    /// Exceptions that could silence something, and did not.
    pub fn unused(&self) -> impl Iterator<Item = Written<'a>> {
        self.written.iter().filter(|(_, void, used)| void.is_none() && !used).map(|(written, ..)| *written)
    }
}

impl Written<'_> {
    fn void(&self, today: jiff::civil::Date) -> Option<Void> {
        let until = match self {
            Written::Comment(_, comment) if comment.rules.is_empty() => return Some(Void::Unreadable),
            Written::Comment(_, comment) if comment.reason.is_none() => return Some(Void::Reasonless),
            Written::Entry(_, allow) if allow.reason.trim().is_empty() => return Some(Void::Reasonless),
            Written::Comment(_, comment) => comment.until.clone()?,
            Written::Entry(_, allow) => allow.until?.to_string(),
        };
        let stands = until.parse::<jiff::civil::Date>().is_ok_and(|day| today <= day);
        (!stands).then_some(Void::Expired(until))
    }

    fn allows(&self, found: &Found) -> bool {
        let finding = &found.finding;
        match self {
            Written::Comment(file, comment) => {
                comment.rules.iter().any(|rule| rule == finding.rule)
                    && file.source.name() == finding.place.source.name()
                    && comment.covers.start <= finding.place.span.start
                    && finding.place.span.start < comment.covers.end
            }
            Written::Entry(_, allow) => {
                let within = found.function.strip_prefix(&allow.path);
                allow.rule == finding.rule && within.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            }
        }
    }

    fn exception(&self, found: Found) -> Exception {
        let (reason, until) = match self {
            Written::Comment(_, comment) => (comment.reason.clone().unwrap_or_default(), comment.until.clone()),
            Written::Entry(_, allow) => (allow.reason.clone(), allow.until.map(|day| day.to_string())),
        };
        let allowed_at = self.label("allowed here");
        let by = match self {
            Written::Comment(..) => Silencer::Comment,
            Written::Entry(..) => Silencer::Manifest,
        };
        Exception { finding: found.finding, function: found.function, reason, until, allowed_at, by }
    }

    /// A label at the exception.
    #[must_use]
    pub fn label(&self, text: impl Into<String>) -> Label {
        match self {
            Written::Comment(file, comment) => Label::new(&file.source, comment.span, text),
            Written::Entry(manifest, allow) => Label::new(&manifest.source, allow.span, text),
        }
    }

    /// The rules that it names.
    #[must_use]
    pub fn rules(&self) -> Vec<&str> {
        match self {
            Written::Comment(_, comment) => comment.rules.iter().map(String::as_str).collect(),
            Written::Entry(_, allow) => vec![&allow.rule],
        }
    }
}
