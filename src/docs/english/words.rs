//! Words that several pages use.

use std::time::Duration;

use crate::catalog::call::Effect;
use crate::catalog::provider::{Confidence, Window};
use crate::docs::block::{Inline, Rich};
use crate::docs::evidence::Call;
use crate::key::PartType;
use crate::scan::site::{GuardKind, Verdict};

/// `1 hour and 30 minutes`.
pub(super) fn span(duration: Duration) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let mut left = duration.as_secs();
    let mut words = Vec::new();
    for (length, unit) in units {
        let number = left / length;
        left %= length;
        if number > 0 {
            words.push(count(usize::try_from(number).unwrap_or(usize::MAX), unit));
        }
    }
    if words.is_empty() { "no time".to_owned() } else { listed(&words) }
}

/// `1 part`, `2 parts`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `a, b and c`.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The user's words as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.ends_with(['.', '!', '?']) { line } else { line + "." }
}

pub(super) fn window(window: Window) -> String {
    match window {
        Window::For(duration) => format!("for {}", span(duration)),
        Window::Forever => "as long as the object stands".to_owned(),
    }
}

pub(super) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Unknown => "unknown: it could not be established",
        Confidence::Recalled => "recalled: remembered from public documentation, and no page was read",
        Confidence::Inferred => "inferred: worked out from documented facts, or told by a third party",
        Confidence::Documented => "documented: the provider's own page, specification or source was read",
    }
}

/// How a value of this type is brought to one spelling.
pub(super) fn normalisation(part_type: PartType) -> &'static str {
    match part_type {
        PartType::Text => "as it is, byte for byte",
        PartType::Integer => "a whole number of 64 bits, in decimal",
        PartType::Uuid => "lower case, with hyphens",
        PartType::Date => "`YYYY-MM-DD`",
        PartType::Email => "the domain in ASCII and lower case, then the whole hashed: keys outlive payloads",
        PartType::Domain => "in ASCII (IDNA) and lower case, without the last dot",
    }
}

pub(super) fn guard(call: &Call) -> &'static str {
    match (call.verdict, call.guard) {
        (Verdict::Guarded, Some(GuardKind::Once)) => "by the reservation around it (`once`)",
        (Verdict::Guarded, Some(GuardKind::Permit)) => "by a permit or slot that it takes",
        (Verdict::Guarded, Some(GuardKind::ProviderKey)) => "by the provider alone, which is given the key",
        (Verdict::Guarded, Some(GuardKind::Custom)) => "by a guard that the manifest declares",
        (Verdict::Guarded, Some(GuardKind::Callers)) => "by every function that calls it",
        (Verdict::Guarded, None) => "guarded",
        (Verdict::Unguarded, _) => "by nothing",
        (Verdict::Undecided, _) => "it could not be told",
        (Verdict::Exempt, _) => "by nothing: exempt",
        (Verdict::Read, _) => "it changes nothing",
    }
}

pub(super) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads",
        Effect::Telemetry => "reports to the team itself",
        Effect::Auth => "exchanges credentials",
        Effect::Model => "asks a model",
        Effect::Mutate => "changes something remote",
        Effect::Send => "sends",
        Effect::Charge => "moves money or places an order",
    }
}

/// `src/whatsapp.rs:44`.
pub(super) fn place(call: &Call) -> Rich {
    Rich(vec![Inline::Code(format!("{}:{}", call.file, call.line))])
}
