//! What an older revision has too. A finding is old when it says the same of the same function and sink, wherever the
//! lines have gone; or when its whole file has moved: the old file is gone, the new one was not there, and in it the
//! function of the same name makes the same call.

use std::collections::BTreeMap;

use crate::diagnostic::{Finding, Subject};
use crate::gate::Checked;

/// Takes off what the old check found too. `before` and `now` say whether there was or is a file of a name.
pub fn since(new: &mut Checked, old: &Checked, before: impl Fn(&str) -> bool, now: impl Fn(&str) -> bool) {
    let mut left: BTreeMap<(&'static str, Subject), Vec<&Finding>> = BTreeMap::new();
    for finding in &old.findings {
        left.entry(key(finding)).or_default().push(finding);
    }
    let found = std::mem::take(&mut new.findings);
    let count = found.len();
    // Of several calls that are alike, those whose text is the same are the old ones; the others go by their order.
    let found = without(found, |finding| take(&mut left, finding, |old| text(old) == text(finding)));
    let found = without(found, |finding| take(&mut left, finding, |_| true));
    let mut gone: Vec<&Finding> = left.into_values().flatten().filter(|old| !now(file(old))).collect();
    let found = without(found, |finding| {
        let moved = |old: &&Finding| !before(file(finding)) && is_moved(old, finding);
        gone.iter().position(moved).map(|at| gone.swap_remove(at)).is_some()
    });
    new.taken.by_revision = Some(count - found.len());
    new.findings = found;
}

fn without(findings: Vec<Finding>, mut is_old: impl FnMut(&Finding) -> bool) -> Vec<Finding> {
    findings.into_iter().filter(|finding| !is_old(finding)).collect()
}

/// Takes an old finding of the same key that was at least as bad.
fn take(
    left: &mut BTreeMap<(&'static str, Subject), Vec<&Finding>>,
    finding: &Finding,
    fits: impl Fn(&Finding) -> bool,
) -> bool {
    let Some(alike) = left.get_mut(&key(finding)) else { return false };
    let at = alike.iter().position(|old| old.level >= finding.level && fits(old));
    at.map(|at| alike.remove(at)).is_some()
}

fn key(finding: &Finding) -> (&'static str, Subject) {
    (finding.rule, Subject { ordinal: 0, ..finding.subject.clone() })
}

fn is_moved(old: &Finding, new: &Finding) -> bool {
    old.rule == new.rule
        && old.level >= new.level
        && old.subject.sink == new.subject.sink
        && old.subject.effect == new.subject.effect
        && name(old) == name(new)
        && text(old) == text(new)
}

/// The function's own name; nothing where the file stands for it.
fn name(finding: &Finding) -> &str {
    let function = finding.subject.function.as_str();
    if function == file(finding) { "" } else { function.rsplit("::").next().unwrap_or_default() }
}

fn file(finding: &Finding) -> &str {
    finding.place.source.name()
}

/// What the finding points at, blanks aside.
fn text(finding: &Finding) -> String {
    finding.place.source.slice(finding.place.span).split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Label, Level};
    use crate::gate::identity::number;
    use crate::source::{Source, Span};

    fn finding(file: &str, function: &str, code: &str, level: Level) -> Finding {
        let place = Label::new(&Source::new(file, code), Span::new(0, code.len()), "l");
        Finding::new("unguarded-send", level, "m", place).with_subject(Subject::from("post").within(function))
    }

    fn told(old: Vec<Finding>, new: Vec<Finding>) -> Vec<String> {
        let files = |findings: &[Finding]| findings.iter().map(|one| file(one).to_owned()).collect::<Vec<_>>();
        let (before, now) = (files(&old), files(&new));
        let check = |mut findings: Vec<Finding>| {
            number(&mut findings, &mut []);
            Checked { findings, ..Checked::default() }
        };
        let (old, mut new) = (check(old), check(new));
        let among = |files: &[String], name: &str| files.iter().any(|file| file == name);
        since(&mut new, &old, |name| among(&before, name), |name| among(&now, name));
        new.findings.iter().map(|one| format!("{} {}", one.subject.function, text(one))).collect()
    }

    #[test]
    fn of_calls_that_are_alike_the_added_one_is_told() {
        let call = |text: &str| finding("a.rs", "a::f", text, Level::Error);
        assert_eq!(told(vec![call("x"), call("y")], vec![call("new"), call("x"), call("y")]), ["a::f new"]);
        assert_eq!(told(vec![call("x")], vec![call("z")]), [""; 0]);
    }

    #[test]
    fn what_is_worse_or_elsewhere_is_told() {
        let old = || vec![finding("a.rs", "a::f", "x", Level::Note)];
        assert_eq!(told(old(), vec![finding("a.rs", "a::f", "x", Level::Error)]), ["a::f x"]);
        assert_eq!(told(old(), vec![finding("a.rs", "a::g", "x", Level::Note)]), ["a::g x"]);
    }

    #[test]
    fn a_file_that_moved_takes_its_findings_along_once() {
        let old = || vec![finding("a.rs", "a::f", "x", Level::Error)];
        let moved = finding("b.rs", "b::f", "x", Level::Error);
        assert_eq!(told(old(), vec![moved.clone()]), [""; 0]);
        assert_eq!(told(old(), vec![moved.clone(), finding("b.rs", "b::m::f", "x", Level::Error)]), ["b::m::f x"]);
        let stays = finding("a.rs", "a::g", "y", Level::Error);
        assert_eq!(told([old(), vec![stays.clone()]].concat(), vec![stays, moved]), ["b::f x"]);
    }
}
