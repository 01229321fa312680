//! What waits for a person, as text for people and tools.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::catalog::provider::{Outbound, Provider};
use crate::escape::shown;
use crate::live::queue::{Class, Decision, Entry, Filter, Listing, Resolution};
use crate::report::json;

/// The widest column of a table, in columns of a terminal: what is wider pushes the rest of its line.
const WIDEST: usize = 60;

/// One line each under a heading, and how many more there are.
#[must_use]
pub fn table(listing: &Listing) -> String {
    let heading = ["AGE", "CLASS", "TYPE", "ATTEMPT", "KEY", "REASON"].map(str::to_owned);
    let rows = listing.entries.iter().map(|entry| {
        [
            age(entry.age),
            shown(&entry.class).into_owned(),
            shown(&entry.action_type).into_owned(),
            entry.attempt.to_string(),
            shown(&entry.idempotency_key).into_owned(),
            brief(&shown(entry.reason.as_deref().unwrap_or_default())),
        ]
    });
    let mut text = aligned(&std::iter::once(heading).chain(rows).collect::<Vec<_>>(), [0, 3]);
    let listed = u64::try_from(listing.entries.len()).unwrap_or(u64::MAX);
    let _ = match listing.total.saturating_sub(listed) {
        0 => writeln!(text, "{} in all", listing.total),
        more => writeln!(text, "and {more} more, {} in all: --limit shows them", listing.total),
    };
    text
}

/// That nothing waits of what was looked for, and how many wait in `all`.
#[must_use]
pub fn nothing(filter: &Filter<'_>, all: u64) -> String {
    let has_events = filter.classes.contains(&Class::Inbound);
    let actions = filter.classes.iter().filter(|class| **class != Class::Inbound).map(|class| class.name());
    let actions = actions.collect::<Vec<_>>().join(" or ");
    let what = match (has_events, actions.as_str()) {
        (false, "") => "nothing".to_owned(),
        (true, "") => "no event".to_owned(),
        (false, actions) => format!("no action that is {actions}"),
        (true, actions) => format!("no event and no action that is {actions}"),
    };
    let types: Vec<_> = filter.types.iter().map(|name| shown(name)).collect();
    let of = if types.is_empty() { String::new() } else { format!(", of {},", types.join(" or ")) };
    let others = match all {
        0 => String::new(),
        1 => "; 1 that was not asked for does: `onlyonce queue list` shows it".to_owned(),
        all => format!("; {all} that were not asked for do: `onlyonce queue list` shows them"),
    };
    format!("{what}{of} waits for a person{others}\n")
}

/// Columns side by side, those in `right` to the right.
fn aligned<const N: usize>(rows: &[[String; N]], right: [usize; 2]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0).min(WIDEST);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let room = " ".repeat(widths[column].saturating_sub(cell.width()));
            if right.contains(&column) { room + cell } else { cell.clone() + &room }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The two largest units of a length of time in seconds: `2h 3m`.
#[must_use]
pub fn age(seconds: f64) -> String {
    // Out of range for no row of ours; then the longest or none stands in its place.
    let seconds = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX).as_secs();
    let parts = [("d", 86_400, u64::MAX), ("h", 3_600, 24), ("m", 60, 60), ("s", 1, 60)]
        .map(|(unit, length, wrap)| (unit, seconds / length % wrap));
    let first = parts.iter().position(|(_, number)| *number > 0).unwrap_or(3);
    let shown = parts.iter().skip(first).take(2).filter(|(_, number)| *number > 0);
    let words: Vec<String> = shown.map(|(unit, number)| format!("{number}{unit}")).collect();
    if words.is_empty() { "0s".to_owned() } else { words.join(" ") }
}

/// `2026-11-29 18:00:00 UTC`, from the form that tools read.
fn time(text: &str) -> String {
    match text.split_once('T') {
        Some((day, clock)) => format!("{day} {} UTC", clock.split(['.', 'Z']).next().unwrap_or_default()),
        None => shown(text).into_owned(),
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What the ledger knows of one that waits, and where to look.
#[must_use]
pub fn details(entry: &Entry, provider: Option<&Provider>) -> String {
    let failure = entry.failure.as_deref().map(|failure| format!(" ({failure})")).unwrap_or_default();
    let window = entry.key_window_left.map(|left| window(left).to_owned());
    let lines = [
        ("class", Some(entry.class.clone())),
        ("type", Some(entry.action_type.clone())),
        ("key", Some(entry.idempotency_key.clone())),
        ("status", Some(format!("{}{failure}", entry.status))),
        ("attempt", Some(entry.attempt.to_string())),
        ("waits", Some(format!("{}, since {}", age(entry.age), time(&entry.since)))),
        ("deadline", Some(time(&entry.deadline_at))),
        ("last step", Some(entry.last_step.clone())),
        ("reason", entry.reason.clone()),
        ("message id", entry.message_id.clone()),
        ("payload", entry.payload_digest.as_ref().map(|digest| format!("SHA-256 {digest}"))),
        ("key window", window),
        ("look up", entry.look_up.clone()),
    ];
    let mut text = String::new();
    for (name, value) in lines.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        let _ = writeln!(text, "{name:<10}  {}", shown(&value));
    }
    if let Some((provider, outbound)) = provider.and_then(|provider| Some((provider, provider.outbound.as_ref()?))) {
        text.push_str(&at_provider(provider, outbound, entry));
    }
    text.push_str(&next_step(entry));
    text
}

fn at_provider(provider: &Provider, outbound: &Outbound, entry: &Entry) -> String {
    let mut text = format!("{:<10}  {}\n", "provider", provider.title);
    if entry.look_up.as_deref() != Some(outbound.reconcile.as_str()) {
        let _ = writeln!(text, "{:<10}  {}", "", outbound.reconcile);
    }
    for source in &outbound.source {
        let _ = writeln!(text, "{:<10}  {source}", "");
    }
    text
}

/// How long the provider answers a send under this key with the first one.
fn window(left: f64) -> String {
    if left > 0.0 {
        format!("the provider still knows the key for {}", age(left))
    } else {
        "over: the provider takes a send under this key for a new one".to_owned()
    }
}

/// The arguments of `queue resolve` by which one that waits can be decided.
#[must_use]
pub fn decisions(entry: &Entry) -> String {
    let attempt = format!("--attempt {} ", entry.attempt);
    let (how, decisions) = match entry.class.as_str() {
        "inbound" => (String::new(), "processed|release"),
        // Erased: there is nothing to send any more.
        "rejected" | "exhausted" if entry.payload_digest.is_none() => (attempt, "abandon"),
        "rejected" | "exhausted" => (attempt, "not_sent|abandon"),
        _ => (attempt, "sent|not_sent|abandon"),
    };
    format!("{how}--decision {decisions}")
}

fn next_step(entry: &Entry) -> String {
    let (action_type, key) = (word(&entry.action_type), word(&entry.idempotency_key));
    format!("\nonlyonce queue resolve {action_type} {key} {} --evidence .. --actor ..\n", decisions(entry))
}

/// As a shell reads it back.
fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._:~%@/+=-".contains(letter);
    let text = shown(text);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// What a decision that was written down means.
#[must_use]
pub fn resolved(resolution: &Resolution<'_>, answer: &str, key_window_left: Option<f64>) -> String {
    let meaning = match resolution.decision {
        Decision::Sent => "sent: nothing sends it any more",
        Decision::NotSent => "released: the next reserve lets it go as a new attempt",
        Decision::Abandon => "abandoned: nothing sends it any more",
        Decision::Processed => "processed: nothing claims it any more",
        Decision::Release => "released: the next delivery, or whoever asks for it, claims it anew",
    };
    let before = if answer == "already" { "already " } else { "" };
    let mut text = format!("{} {} is {before}{meaning}\n", shown(resolution.action_type), shown(resolution.key));
    if let (Decision::NotSent, Some(left)) = (resolution.decision, key_window_left) {
        let _ = writeln!(text, "key window: {}", window(left));
    }
    text
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    queue: &'a [Entry],
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    listed: usize,
    total: u64,
}

/// The same for tools.
#[must_use]
pub fn document(listing: &Listing) -> String {
    let summary = Summary { listed: listing.entries.len(), total: listing.total };
    json::pretty(&Document { version: 1, queue: &listing.entries, summary })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_show_their_two_largest_units() {
        for (seconds, text) in [
            (0.0, "0s"),
            (-3.0, "0s"),
            (59.9, "59s"),
            (60.0, "1m"),
            (7_380.5, "2h 3m"),
            (86_461.0, "1d"),
            (90_061.0, "1d 1h"),
            (8.64e7, "1000d"),
        ] {
            assert_eq!(age(seconds), text, "{seconds}");
        }
        assert!(!age(f64::INFINITY).is_empty() && !age(f64::NAN).is_empty());
    }

    #[test]
    fn columns_align_whatever_the_script() {
        let row = |age: &str, key: &str| [age.to_owned(), key.to_owned(), "end".to_owned()];
        let text = aligned(&[row("2h", "世界"), row("12h 30m", "abcdef")], [0, 0]);
        assert_eq!(text, "     2h  世界    end\n12h 30m  abcdef  end\n");
    }

    #[test]
    fn a_word_comes_back_from_a_shell() {
        assert_eq!(word("wamid.9:1"), "wamid.9:1");
        assert_eq!(word("it's $HOME"), "'it'\\''s $HOME'");
    }
}
