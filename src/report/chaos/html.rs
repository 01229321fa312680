//! One HTML file that needs no other.

use std::fmt::Write as _;

use crate::chaos::Outcome;
use crate::chaos::journal::Line;
use crate::chaos::verdict::Finding;
use crate::report::chaos::{heading, sums};
use crate::report::junit::escaped;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
td,th{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}\
td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}tr.fault{background:#fff1d6}\
.failed{color:#a00}.passed{color:#060}";

/// The document.
#[must_use]
pub fn document(outcome: &Outcome) -> String {
    let (class, word) = if outcome.findings.is_empty() { ("passed", "passed") } else { ("failed", "failed") };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Acceptance run: {word}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Acceptance run of {}: <span class=\"{class}\">{word}</span></h1>\n",
        escaped(&outcome.plan)
    );
    let began = jiff::tz::Offset::UTC.to_datetime(outcome.began).strftime("%Y-%m-%d %H:%M:%S UTC");
    let _ = writeln!(out, "<p>Begun {began}.</p>\n<ul>");
    for line in sums(outcome) {
        let _ = writeln!(out, "<li>{}</li>", escaped(&line));
    }
    out.push_str("</ul>\n");
    outcome.findings.iter().for_each(|finding| article(&mut out, finding));
    if !outcome.waiting.is_empty() {
        out.push_str(
            "<h2>Waiting for a person</h2>\n<table>\n<tr><th>Why</th><th>What</th><th>Key</th><th>Reason</th></tr>\n",
        );
        for row in &outcome.waiting {
            let cells = [&row.class, &row.action, &row.key].map(|cell| escaped(cell));
            let reason = escaped(row.reason.as_deref().unwrap_or_default());
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{reason}</td></tr>",
                cells[0], cells[1], cells[2]
            );
        }
        out.push_str("</table>\n");
    }
    out.push_str("<h2>Everything that happened</h2>\n<details><summary>all lines</summary>\n");
    table(&mut out, &outcome.lines);
    out.push_str("</details>\n</body>\n</html>\n");
    out
}

fn article(out: &mut String, finding: &Finding) {
    let _ =
        writeln!(out, "<h2 class=\"failed\">{}</h2>\n<p>{}</p>", escaped(&heading(finding)), escaped(&finding.message));
    table(out, &finding.timeline);
}

fn table(out: &mut String, lines: &[Line]) {
    out.push_str("<table>\n");
    for line in lines {
        let class = if line.fault { " class=\"fault\"" } else { "" };
        let event = line.event.map(|event| format!("event {event}")).unwrap_or_default();
        let (seconds, text) = (std::time::Duration::from_millis(line.at_ms).as_secs_f64(), escaped(&line.text));
        let _ = writeln!(out, "<tr{class}><td>{seconds:.3} s</td><td>{event}</td><td>{text}</td></tr>");
    }
    out.push_str("</table>\n");
}
