//! Findings as JUnit XML: a suite a file, a test a finding. What `--fail-on` lets pass is a test that passes and says
//! so. Valid by the schema of Jenkins' xUnit plug-in; GitLab tells tests apart by `classname` and `name`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::diagnostic::Finding;

/// The document. `fails` says which findings fail the check; `now` is when it ran.
#[must_use]
pub fn document(findings: &[Finding], fails: impl Fn(&Finding) -> bool, now: jiff::Timestamp) -> String {
    let mut suites: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        suites.entry(finding.place.source.name()).or_default().push(finding);
    }
    let stamp = jiff::tz::Offset::UTC.to_datetime(now).strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let failures = findings.iter().filter(|finding| fails(finding)).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // A report without a test counts as one that was not written.
    let tests = findings.len().max(1);
    let _ = writeln!(out, r#"<testsuites name="onlyonce" tests="{tests}" failures="{failures}" errors="0">"#);
    if findings.is_empty() {
        head(&mut out, "onlyonce", 1, 0, &stamp);
        out.push_str("    <testcase classname=\"onlyonce\" name=\"check\" time=\"0\"/>\n  </testsuite>\n");
    }
    for (file, findings) in suites {
        let failures = findings.iter().filter(|finding| fails(finding)).count();
        head(&mut out, file, findings.len(), failures, &stamp);
        for finding in findings {
            case(&mut out, finding, fails(finding));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn head(out: &mut String, name: &str, tests: usize, failures: usize, stamp: &str) {
    let name = escaped(name);
    let _ = writeln!(
        out,
        r#"  <testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0" skipped="0" time="0" timestamp="{stamp}">"#
    );
}

fn case(out: &mut String, finding: &Finding, fails: bool) {
    let subject = &finding.subject;
    let function = if subject.function == finding.place.source.name() { "" } else { &subject.function };
    let mut words: Vec<&str> = [finding.rule, function, &subject.sink].to_vec();
    let ordinal = format!("#{}", subject.ordinal);
    words.push(if subject.ordinal > 1 { &ordinal } else { "" });
    words.retain(|word| !word.is_empty());
    let (class, name) = (escaped(finding.place.source.name()), escaped(&words.join(" ")));
    let _ = writeln!(out, r#"    <testcase classname="{class}" name="{name}" time="0">"#);
    let start = finding.place.source.position(finding.place.span.start);
    let mut text = format!("{}:{}:{}: {}", finding.place.source.name(), start.line, start.column, finding.message);
    if let Some(help) = &finding.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    let (message, text, level) = (escaped(&finding.message), escaped(&text), finding.level.name());
    let _ = if fails {
        writeln!(out, r#"      <failure type="{level}" message="{message}">{text}</failure>"#)
    } else {
        writeln!(out, "      <system-out>{level}: {text}</system-out>")
    };
    out.push_str("    </testcase>\n");
}

/// Text for an element or an attribute. Characters that XML cannot hold are shown by number.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // Kept in an attribute only like this.
            '\t' | '\n' | '\r' => drop(write!(out, "&#{};", u32::from(letter))),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.extend(letter.escape_default()),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_or_would_change_is_written_another_way() {
        assert_eq!(escaped("a\u{1}\n\"<&'>é"), "a\\u{1}&#10;&quot;&lt;&amp;&apos;&gt;é");
    }
}
