//! When two findings are the same one, though lines have moved: rule, function, sink, effect, and which of several.

use std::collections::BTreeMap;

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use crate::diagnostic::{Finding, Silenced, Subject};

/// Gives findings that say the same of the same function and sink their ordinals, in order of place: what is silenced
/// counts too, so that an exception for one changes no other. Both are sorted.
pub fn number(findings: &mut [Finding], silenced: &mut [Silenced]) {
    let mut all: Vec<&mut Finding> =
        findings.iter_mut().chain(silenced.iter_mut().map(|silenced| &mut silenced.finding)).collect();
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut seen: BTreeMap<(&'static str, Subject), usize> = BTreeMap::new();
    for finding in all {
        let subject = Subject { ordinal: 0, ..finding.subject.clone() };
        let ordinal = seen.entry((finding.rule, subject)).or_default();
        *ordinal += 1;
        finding.subject.ordinal = *ordinal;
    }
}

/// 24 characters that stay when lines move or a file is renamed under the same module path.
#[must_use]
pub fn fingerprint(finding: &Finding) -> String {
    let Subject { function, sink, effect, ordinal } = &finding.subject;
    let mut hash = Sha256::new();
    for part in [finding.rule, function, sink, effect.as_deref().unwrap_or_default(), &ordinal.to_string()] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    // 144 bits: two findings of one code base do not meet.
    let mut text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash.finalize());
    text.truncate(24);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Label, Level, Silencer};
    use crate::source::{Source, Span};

    fn finding(text: &str, at: usize) -> Finding {
        let place = Label::new(&Source::new("src/a.rs", text), Span::new(at, at + 1), "l");
        let subject = Subject { effect: Some("send".to_owned()), ..Subject::from("post").within("a::f") };
        Finding::new("unguarded-send", Level::Error, "m", place).with_subject(subject)
    }

    fn fingerprints(mut findings: Vec<Finding>) -> Vec<String> {
        number(&mut findings, &mut []);
        findings.iter().map(fingerprint).collect()
    }

    #[test]
    fn fingerprints_stay_when_lines_move_and_tell_equals_apart() {
        let before = fingerprints(vec![finding("abc", 0), finding("abc", 1)]);
        let after = fingerprints(vec![finding("\n\nabc", 2), finding("\n\nabc", 3)]);
        assert_eq!(before, after);
        assert_ne!(before[0], before[1]);
        assert_eq!(before[0].len(), 24);
    }

    #[test]
    fn what_is_silenced_keeps_its_number() {
        let silenced = Silenced {
            finding: finding("abc", 0),
            by: Silencer::Comment,
            reason: "x".to_owned(),
            until: None,
            at: None,
        };
        let mut findings = [finding("abc", 1)];
        number(&mut findings, &mut [silenced]);
        assert_eq!(findings[0].subject.ordinal, 2);
    }

    #[test]
    fn another_effect_is_another_finding() {
        let charge = Finding {
            subject: Subject { effect: Some("charge".to_owned()), ..finding("abc", 0).subject },
            ..finding("abc", 0)
        };
        assert_ne!(fingerprint(&charge), fingerprint(&finding("abc", 0)));
    }
}
