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
    /// What the finding is about, free of line numbers: function path and sink, or table and guarantee.
    /// Findings of one rule, file and subject are told apart by their order.
    pub subject: String,
}

impl Finding {
    /// A finding with nothing beside its place; add to it with the `with_` methods.
    pub fn new(rule: &'static str, level: Level, message: impl Into<String>, place: Label) -> Finding {
        let subject = place.text.clone();
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
    pub fn with_subject(mut self, subject: impl Into<String>) -> Finding {
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
