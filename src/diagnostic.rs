//! What is told to people: findings about their work, and faults that kept us from ours.

use crate::source::{Source, Span};

/// How much a finding weighs. `--fail-on` compares with this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing; never fails a build by itself.
    Note,
    /// Should be mended; fails a build only where it is asked to.
    Warning,
    /// A guarantee does not hold.
    Error,
}

impl Level {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// For findings about SQL: whether the guarantee is known to be lost, or cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The guarantee is lost, and the place is known.
    Broken,
    /// Something that was not understood may have lost it.
    Unproven,
}

/// Bytes that a message points at, and why it points there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The file.
    pub source: Source,
    /// The bytes in it.
    pub span: Span,
    /// Why here: lower case, no full stop.
    pub text: String,
}

impl Label {
    /// A label at `span` of `source`.
    pub fn new(source: &Source, span: Span, text: impl Into<String>) -> Label {
        Label { source: source.clone(), span, text: text.into() }
    }
}

/// What a finding is about, free of files' lines: with the rule it names the finding when code moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Subject {
    /// Path of the function; the file where there is none; empty for SQL, whose sink says it all.
    pub function: String,
    /// Path of the call that leaves the process; for other rules what they speak of: a key, a table and its guarantee.
    pub sink: String,
    /// What the call does: `send`.
    pub effect: Option<String>,
    /// Which of several with the same words, counted from 1 in order of place.
    pub ordinal: usize,
}

impl<T: Into<String>> From<T> for Subject {
    fn from(sink: T) -> Subject {
        Subject { function: String::new(), sink: sink.into(), effect: None, ordinal: 1 }
    }
}

impl Subject {
    /// Adds the function where there is none yet.
    #[must_use]
    pub fn within(mut self, function: &str) -> Subject {
        if self.function.is_empty() && !function.is_empty() {
            let rest = self.sink.strip_prefix(function).map(|rest| rest.trim_start().to_owned());
            self.sink = rest.unwrap_or(self.sink);
            function.clone_into(&mut self.function);
        }
        self
    }
}

/// A finding that does not count, who said so and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silenced {
    /// The finding.
    pub finding: Finding,
    /// Who said so.
    pub by: Silencer,
    /// Why: a person's words.
    pub reason: String,
    /// The last day on which it does not count, as `YYYY-MM-DD`.
    pub until: Option<String>,
    /// Where it was said.
    pub at: Option<Label>,
}

/// What keeps a finding from counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Silencer {
    /// A comment beside it.
    Comment,
    /// `[[scan.allow]]`.
    Manifest,
    /// The list of what was there when the gate was switched on.
    Baseline,
}

/// One thing that a rule says about the user's work. Plain data: rendered elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name, as in `allow(..)`.
    pub rule: &'static str,
    /// How much it weighs.
    pub level: Level,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Where, and why there.
    pub place: Label,
    /// Other places that the reader needs.
    pub related: Vec<Label>,
    /// The smallest change that mends it.
    pub help: Option<String>,
    /// For SQL findings.
    pub verdict: Option<Verdict>,
    /// What the finding is about, free of line numbers.
    pub subject: Subject,
}

impl Finding {
    /// A finding with nothing beside its place; add to it with the `with_` methods.
    pub fn new(rule: &'static str, level: Level, message: impl Into<String>, place: Label) -> Finding {
        let subject = Subject::from(place.text.clone());
        Finding { rule, level, message: message.into(), place, related: Vec::new(), help: None, verdict: None, subject }
    }

    /// Adds the change that mends it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Finding {
        self.help = Some(help.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn with_related(mut self, label: Label) -> Finding {
        self.related.push(label);
        self
    }

    /// Says whether the guarantee is lost or cannot be told.
    #[must_use]
    pub fn with_verdict(mut self, verdict: Verdict) -> Finding {
        self.verdict = Some(verdict);
        self
    }

    /// Names what the finding is about, free of line numbers.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<Subject>) -> Finding {
        self.subject = subject.into();
        self
    }

    /// What findings are sorted by: file, place, rule.
    #[must_use]
    pub fn order(&self) -> (&str, Span, &'static str, &str) {
        (self.place.source.name(), self.place.span, self.rule, &self.message)
    }
}

/// Why we could not do our work (exit code 2): what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Where in a file, when it stands in one.
    pub place: Option<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault {
    /// A fault that stands in no file.
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), place: None, help: None }
    }

    /// Points at the bytes that are wrong.
    #[must_use]
    pub fn at(mut self, place: Label) -> Fault {
        self.place = Some(place);
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }
}

/// Every fault of one step: a user mends them all in one round. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults(vec![fault])
    }
}
