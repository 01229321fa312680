//! The page of one action type.

use crate::catalog::provider::NativeKind;
use crate::docs::block::{Block, Page, Rich};
use crate::docs::english::words;
use crate::docs::facts::{Action, Outbound, Provider};
use crate::docs::machine::{Machine, State, Step};
use crate::key::{MAX_PLAIN, PartType};
use crate::manifest::fresh::seems;
use crate::manifest::{Kind, WhenUnknown};

pub(super) fn page(action: &Action) -> Page {
    let blocks = [at_a_glance(action), key(action), one_key(action), provider(action), states(action)];
    let more = [stuck(action), kept(action), places(action)];
    Page {
        name: action.name.clone(),
        title: Rich::code(&action.name),
        lead: words::sentence(&action.summary).into(),
        blocks: blocks.into_iter().chain(more).flatten().collect(),
    }
}

fn at_a_glance(action: &Action) -> Vec<Block> {
    let kind = match action.kind {
        Kind::Send => "acts on the world",
        Kind::Model => "asks a model; its answer is kept, and given to whoever asks again under the same key",
    };
    let provider = action.provider.as_ref().map_or("not named in the manifest", |provider| provider.title.as_str());
    let when_unknown = match action.when_unknown {
        WhenUnknown::Reconcile => "a person, or the provider's own evidence, settles it; nothing sends it again",
        WhenUnknown::Retry => "it may go again under the same key, within the bounds told below",
    };
    let facts: [(&str, Rich); 7] = [
        ("What it is", kind.into()),
        ("Two are the same when", words::sentence(&action.same_when).into()),
        ("Goes to", provider.into()),
        ("Send budget", words::span(action.send_budget).into()),
        ("Counts as unknown after", words::span(action.pending_timeout).into()),
        ("When the outcome is unknown", when_unknown.into()),
        ("Attempts at most", action.max_attempts.to_string().into()),
    ];
    vec![Block::Facts(facts.into_iter().map(|(name, what)| (name.to_owned(), what)).collect())]
}

fn key(action: &Action) -> Vec<Block> {
    let rows = action.key.iter().map(|part| {
        vec![
            Rich::code(&part.name),
            part.part_type.name().into(),
            words::normalisation(part.part_type).into(),
            Rich::code(&part.example),
            Rich::code(&part.normalised),
        ]
    });
    let order = if action.key.len() == 1 { "" } else { ", in this order" };
    let parts = words::count(action.key.len(), "part");
    let made = format!(
        "The key is made of {parts}{order}. Nothing is added to them: no clock, no random value, no number of the \
         attempt."
    );
    let fresh = fresh(action).into_iter().map(|(name, what)| {
        Block::Note(
            format!(
                "`{name}` is named like {what}. Where it is one, each attempt has a key of its own, and this key stops \
                 no repeat."
            )
            .into(),
        )
    });
    let table = table(&["Part", "Type", "How it is written", "Example", "In the key"], rows.collect());
    [Block::Heading("The key".to_owned()), Block::Paragraph(made.into())]
        .into_iter()
        .chain(fresh)
        .chain([table])
        .collect()
}

/// Parts that are named like what differs from attempt to attempt, and what they seem to be.
fn fresh(action: &Action) -> Vec<(&str, &'static str)> {
    action.key.iter().filter_map(|part| Some((part.name.as_str(), seems(&part.name)?))).collect()
}

fn one_key(action: &Action) -> Vec<Block> {
    let names: Vec<String> = action.key.iter().map(|part| format!("`{}`", part.name)).collect();
    let examples = &action.examples;
    let first: Vec<&str> = action.key.iter().map(|part| part.example.as_str()).collect();
    let retry: Vec<&str> = examples.retry.iter().map(String::as_str).collect();
    let intent: Vec<&str> = examples.intent.iter().map(String::as_str).collect();
    let row = |case: &str, values: &[&str], key: &str| {
        let values = Rich::joined(values.iter().map(|value| Rich::code(*value)), ", ");
        vec![case.into(), values, Rich::code(key)]
    };
    let rows = vec![
        row("First attempt", &first, &examples.key),
        row("Retry, second delivery or second worker", &retry, &examples.retry_key),
        row("Another intent", &intent, &examples.intent_key),
    ];
    let same = if fresh(action).is_empty() { "" } else { ", unless the part that is named above is what it seems" };
    let where_another = if names.len() == 1 { "it is" } else { "one of them is" };
    vec![
        Block::Heading("Why two retries give one key, and two intents give two".to_owned()),
        Block::Paragraph(
            format!(
                "Whoever tries again holds the same {}{same}: a retry, an event that is delivered a second time, a second \
                 worker, a model that words it otherwise. So they arrive at the same key, and find the row of the \
                 first. Where {where_another} another, it is another intent, and the key is another.",
                words::listed(&names),
            )
            .into(),
        ),
        table(&["Case", "Values", "Key"], rows),
        Block::List(spelling(action)),
    ]
}

fn spelling(action: &Action) -> Vec<Rich> {
    let mut lines: Vec<Rich> = vec![
        "Parts are escaped before they are joined by `:`, so that no two lists of parts give one text.".into(),
        format!("A text over {MAX_PLAIN} characters is replaced by `#` and its SHA-256 digest.").into(),
    ];
    if action.key.iter().any(|part| part.part_type == PartType::Email) {
        lines.push("Email addresses are in the key as digests only, since a key is kept longer than a payload.".into());
    }
    if let (Some(key), Some(provider)) = (&action.examples.provider_key, &action.provider) {
        let told = format!("{} can be given a digest of type and key, the same at every attempt: ", provider.title);
        lines.push(Rich::from(told).and(Rich::code(key)));
    }
    lines
}

fn provider(action: &Action) -> Vec<Block> {
    let Some(provider) = &action.provider else {
        return vec![
            Block::Heading("What the provider does with a repeat".to_owned()),
            Block::Note(
                "The manifest names no provider, so nothing is known of what becomes of a second request.".into(),
            ),
        ];
    };
    let heading = Block::Heading(format!("What {} does with a repeat", provider.title));
    let Some(outbound) = &provider.outbound else {
        return vec![heading, Block::Note("Nothing is known of it.".into())];
    };
    vec![heading, Block::Paragraph(repeat(outbound).into()), Block::Facts(provider_facts(provider, outbound))]
}

fn repeat(outbound: &Outbound) -> &'static str {
    match outbound.native_kind {
        NativeKind::None => {
            "It takes no key of ours: a second request is a second act. The ledger alone stands before it."
        }
        NativeKind::IdempotencyKey => {
            "It takes a key: a second request under the same key gets the answer of the first."
        }
        NativeKind::DedupeToken => "It takes a key: a second request under the same key is accepted and has no effect.",
        NativeKind::ClientId => "We choose the id of what is made: a second request with the same id is refused.",
        NativeKind::Upsert => "A second request with the same id writes the same object again.",
    }
}

fn provider_facts(provider: &Provider, outbound: &Outbound) -> Vec<(String, Rich)> {
    let sources = if outbound.sources.is_empty() { Rich::from("none") } else { Rich::addresses(&outbound.sources) };
    let recalled =
        (!outbound.recalled.is_empty()).then(|| Rich::joined(outbound.recalled.iter().map(Rich::code), ", "));
    let facts: [(&str, Option<Rich>); 10] = [
        ("In the catalog", Some(Rich::code(&provider.name))),
        ("Where the key goes", outbound.native_key.as_ref().map(Rich::code)),
        ("Longest key", outbound.key_max_len.map(|length| words::count(length, "character").into())),
        ("Keys are remembered", outbound.key_window.map(|window| words::window(window).into())),
        ("Which requests", outbound.scope.as_deref().map(Rich::from)),
        ("Comes back with events", outbound.correlation_field.as_ref().map(Rich::code)),
        ("Notes", outbound.notes.as_deref().map(Rich::from)),
        ("How sure", Some(words::confidence(outbound.confidence).into())),
        ("Only recalled", recalled),
        ("Sources", Some(sources)),
    ];
    facts.into_iter().filter_map(|(name, what)| Some((name.to_owned(), what?))).collect()
}

fn states(action: &Action) -> Vec<Block> {
    use State::{Failed, Pending, Sent, Start, Unknown};
    let step = |from, to, words| Step { from, to, words };
    let mut steps = vec![
        step(Start, Pending, "reserved"),
        step(Pending, Sent, "the provider took it"),
        step(Pending, Failed, "refused, or\nnever left us"),
        step(Pending, Unknown, "no certain answer\nin time"),
        step(Failed, Pending, "may go again:\nnext attempt"),
        step(Unknown, Sent, "found at\nthe provider"),
        step(Unknown, Failed, "a person settles it"),
    ];
    if action.when_unknown == WhenUnknown::Retry {
        steps.push(step(Unknown, Pending, "safe to ask again"));
    }
    let title = "From pending an action becomes sent, failed or unknown; unknown becomes sent or failed; what \
                 failed without leaving us may be reserved anew.";
    vec![
        Block::Heading("States".to_owned()),
        Block::Machine(Machine { steps, title }),
        Block::Paragraph(
            "Every other step is refused by the database itself. A reservation is committed before anything is sent, \
             and `sent` is final."
                .into(),
        ),
    ]
}

fn stuck(action: &Action) -> Vec<Block> {
    let timeout = words::span(action.pending_timeout);
    let mut lines: Vec<Rich> = vec![
        format!(
            "A worker has {} from before the reservation to the answer, by its own steady clock. When that is over \
             before the call, it does not call.",
            words::span(action.send_budget)
        )
        .into(),
        format!(
            "A reservation without a recorded answer counts as unknown after {timeout}. The sweep that marks it sends \
             nothing; no timer does."
        )
        .into(),
        "It stands in the queue (the view `reconciliation_queue`) with its age, its attempt and how to look it up."
            .into(),
    ];
    lines.extend(settling(action, &timeout).into_iter().map(Rich::from));
    if let Some(outbound) = action.provider.as_ref().and_then(|provider| provider.outbound.as_ref()) {
        lines.push(Rich::from(format!("To find out whether it was done: {}", words::sentence(&outbound.reconcile))));
    }
    let attempts = words::count(usize::try_from(action.max_attempts).unwrap_or(usize::MAX), "attempt");
    lines.push(
        format!(
            "What certainly never left us may go again, at most {attempts} in all; then it stands in the queue as \
             exhausted. What the provider refused for good stays failed until a person decides."
        )
        .into(),
    );
    vec![Block::Heading("When nobody knows what became of one".to_owned()), Block::List(lines)]
}

fn settling(action: &Action, timeout: &str) -> Vec<String> {
    let person = format!(
        "A person who shows that it was not sent releases it, with evidence and a name, at the earliest {timeout} after \
         it was reserved; then it may go again under the same key. A late answer of the attempt itself, or the \
         provider's own event, settles it too."
    );
    match (action.when_unknown, action.kind) {
        (WhenUnknown::Reconcile, Kind::Send | Kind::Model) => vec![person],
        (WhenUnknown::Retry, Kind::Model) => vec![
            "Asking a model a second time does nothing to the world, so it may be reserved anew under the same key; \
             the first answer that is recorded is the one that is kept."
                .to_owned(),
        ],
        (WhenUnknown::Retry, Kind::Send) => {
            let outbound = action.provider.as_ref().and_then(|provider| provider.outbound.as_ref());
            let window = outbound.and_then(|outbound| outbound.key_window).map(words::window);
            let bound = window.unwrap_or_else(|| "for a time that is not known".to_owned());
            vec![
                format!(
                    "It may be reserved anew, since the provider is given the same key and remembers it {bound}, counted \
                     from the first attempt; after that only a person settles it."
                ),
                person,
            ]
        }
    }
}

fn kept(action: &Action) -> Vec<Block> {
    let payload = match action.keep {
        Some(keep) => format!("Payload and result of a finished one are kept for {}.", words::span(keep)),
        None => "Payload and result of a finished one are kept for ever.".to_owned(),
    };
    let key = match (action.kind, action.keep, action.keep_key) {
        (Kind::Model, Some(_), _) => {
            "Its key goes with them, so that whoever asks later gets a fresh answer rather than none.".to_owned()
        }
        (Kind::Model, None, Some(keep)) | (Kind::Send, _, Some(keep)) => format!(
            "The key is kept for {}; after that the same intent would be taken for a new one.",
            words::span(keep)
        ),
        (Kind::Model, None, None) | (Kind::Send, _, None) => {
            "The key is kept for ever: the same intent is never taken for a new one.".to_owned()
        }
    };
    let unfinished = "What is not finished is never deleted.";
    vec![
        Block::Heading("What is kept, and how long".to_owned()),
        Block::List(vec![payload.into(), key.into(), unfinished.into()]),
    ]
}

fn places(action: &Action) -> Vec<Block> {
    let heading = Block::Heading("Where it is done".to_owned());
    if action.calls.is_empty() {
        let none = "No outbound call in the scanned code is guarded by this type.";
        return vec![heading, Block::Note(none.into())];
    }
    let rows = action.calls.iter().map(|call| {
        vec![words::place(call), Rich::code(&call.function), Rich::code(&call.api), words::guard(call).into()]
    });
    let table = table(&["Place", "Function", "Call", "Guarded"], rows.collect());
    let exceptions =
        Rich::from("Calls of no action type and reviewed exceptions stand in the ").and(Rich::page("index"));
    vec![heading, table, Block::Paragraph(exceptions.and("."))]
}

fn table(head: &[&str], rows: Vec<Vec<Rich>>) -> Block {
    Block::Table { head: head.iter().map(|&name| name.to_owned()).collect(), rows }
}
