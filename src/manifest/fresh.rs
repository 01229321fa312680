//! Key parts that are named like what differs from attempt to attempt. A name proves nothing, so it is a warning.

use crate::manifest::Manifest;
use crate::source::Span;

/// What such a part is, by a word of its name; sorted.
const WORDS: [(&str, &str); 12] = [
    ("attempt", NUMBER),
    ("attempts", NUMBER),
    ("clock", CLOCK),
    ("nonce", RANDOM),
    ("now", CLOCK),
    ("rand", RANDOM),
    ("random", RANDOM),
    ("retries", NUMBER),
    ("retry", NUMBER),
    ("timestamp", CLOCK),
    ("tries", NUMBER),
    ("try", NUMBER),
];

const CLOCK: &str = "a clock";
const NUMBER: &str = "the number of an attempt";
const RANDOM: &str = "a random value";

/// What a key part of this name seems to be, when every attempt would have another.
#[must_use]
pub fn seems(name: &str) -> Option<&'static str> {
    let of = |word: &str| WORDS.iter().find(|(known, _)| *known == word).map(|(_, what)| *what);
    name.split('_').find_map(of)
}

/// A key part that seems to be another at each attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh<'a> {
    /// The action type.
    pub action: &'a str,
    /// The part's name.
    pub part: &'a str,
    /// What it seems to be.
    pub what: &'static str,
    /// The list that it stands in.
    pub place: Span,
}

impl Fresh<'_> {
    /// What is wrong, for people.
    #[must_use]
    pub fn message(&self) -> String {
        format!("the key of `{}` has a part named like {}: `{}`", self.action, self.what, self.part)
    }

    /// The smallest change that mends it.
    #[must_use]
    pub fn help(&self) -> String {
        "name what stays the same at every attempt, such as the inbound message and the step of the conversation"
            .to_owned()
    }
}

/// Every such part of a manifest.
#[must_use]
pub fn fresh(manifest: &Manifest) -> Vec<Fresh<'_>> {
    let parts = manifest.actions.values().flat_map(|action| action.key.iter().map(move |part| (action, part)));
    let fresh = parts.filter_map(|(action, part)| {
        let place = manifest.places.of(&format!("action.{}.key", action.name));
        seems(&part.name).map(|what| Fresh { action: &action.name, part: &part.name, what, place })
    });
    fresh.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attempts_and_clocks_are_told_by_their_words() {
        assert!(WORDS.is_sorted());
        for (name, expected) in [
            ("attempt", Some(NUMBER)),
            ("retry_count", Some(NUMBER)),
            ("sent_timestamp", Some(CLOCK)),
            ("now", Some(CLOCK)),
            ("random_suffix", Some(RANDOM)),
            ("inbound_message_id", None),
            ("country", None),
            ("known_customer", None),
            ("entry", None),
        ] {
            assert_eq!(seems(name), expected, "{name}");
        }
    }
}
