//! The page that leads to the others, and says what holds for all of them.

use crate::docs::block::{Block, Page, Rich};
use crate::docs::english::{TITLE, words};
use crate::docs::evidence::Exception;
use crate::docs::facts::{Action, Book, Inbound, Summary};
use crate::manifest::InboundMode;

pub(super) fn page(book: &Book) -> Page {
    let mut blocks = promise();
    blocks.extend(actions(&book.actions));
    blocks.extend(inbound(&book.inbound));
    blocks.extend(coverage(book));
    blocks.extend(exceptions(&book.exceptions));
    Page {
        name: "index".to_owned(),
        title: TITLE.into(),
        lead: "Every kind of act on the world that this program knows, what makes two of them the same, and what \
               happens to one of which nobody knows whether it was done."
            .into(),
        blocks,
    }
}

fn promise() -> Vec<Block> {
    vec![
        Block::Heading("What is claimed, and what is not".to_owned()),
        Block::List(vec![
            "From this side, an action is sent at most once per key, unless a person releases the key with \
             evidence, or the type is declared safe to retry."
                .into(),
            "This is not exactly-once delivery: what is reserved and then lost stays unsent until it is settled, and \
             what happens behind a provider's door is the provider's."
                .into(),
            "It holds for the calls that these pages list as guarded. Calls that are not guarded, or of which that \
             could not be told, are listed below."
                .into(),
        ]),
    ]
}

fn actions(actions: &[Action]) -> Vec<Block> {
    let heading = Block::Heading("Actions".to_owned());
    if actions.is_empty() {
        return vec![heading, Block::Paragraph("The manifest declares none.".into())];
    }
    let rows = actions.iter().map(|action| {
        let parts: Vec<Rich> = action.key.iter().map(|part| Rich::code(&part.name)).collect();
        let provider = action.provider.as_ref().map_or("not named", |provider| provider.title.as_str());
        vec![
            Rich::page(&action.name),
            words::sentence(&action.summary).into(),
            Rich::joined(parts, ", "),
            provider.into(),
            action.calls.len().to_string().into(),
        ]
    });
    let head = ["Action", "What it does", "Key", "Provider", "Guarded calls"];
    vec![heading, table(&head, rows.collect())]
}

fn inbound(sources: &[Inbound]) -> Vec<Block> {
    if sources.is_empty() {
        return Vec::new();
    }
    let rows = sources.iter().map(|source| {
        let id: Vec<Rich> = source.event_id.iter().map(Rich::code).collect();
        vec![
            Rich::code(&source.name),
            source.provider.as_deref().unwrap_or("not named").into(),
            Rich::joined(id, ", ").and(
                source.items.as_ref().map_or_else(Rich::default, |items| Rich::from(" within ").and(Rich::code(items))),
            ),
            mode(source).into(),
            words::span(source.retention).into(),
            redelivery(source),
        ]
    });
    let head = ["Source", "Provider", "An event's id", "Accepted", "Ids are kept", "The provider repeats within"];
    vec![
        Block::Heading("Events that come in".to_owned()),
        Block::Paragraph(
            "An event is accepted once per id; a second one with that id is told to be a duplicate, and has no effect."
                .into(),
        ),
        table(&head, rows.collect()),
    ]
}

fn mode(source: &Inbound) -> String {
    match source.mode {
        InboundMode::Claim => {
            format!("at once, and claimed anew when it is not finished in {}", words::span(source.claim_timeout))
        }
        InboundMode::Transaction => "with the transaction of its effect".to_owned(),
    }
}

fn redelivery(source: &Inbound) -> Rich {
    match &source.redelivery {
        None => "not known".into(),
        Some(known) => Rich::from(format!("{} ({})", words::span(known.longest), known.confidence.name())),
    }
}

fn coverage(book: &Book) -> Vec<Block> {
    let Summary { guarded, unguarded, undecided, exempt, read } = book.summary;
    let facts = [
        ("Guarded", guarded),
        ("Not guarded", unguarded),
        ("Could not be told", undecided),
        ("Exempt", exempt),
        ("Only read", read),
    ];
    let mut blocks = vec![
        Block::Heading("Outbound calls in the code".to_owned()),
        Block::Facts(facts.map(|(name, number)| (name.to_owned(), number.to_string().into())).into()),
    ];
    if !book.other_calls.is_empty() {
        blocks.push(Block::Paragraph("These belong to no action type:".into()));
        let rows = book.other_calls.iter().map(|call| {
            let why = call.why.as_deref().unwrap_or_default();
            let guard = Rich::from(words::guard(call));
            let guarded = if why.is_empty() { guard } else { guard.and(format!(": {why}")) };
            vec![words::place(call), Rich::code(&call.function), words::effect(call.effect).into(), guarded]
        });
        blocks.push(table(&["Place", "Function", "What it does", "Guarded"], rows.collect()));
    }
    blocks
}

fn exceptions(exceptions: &[Exception]) -> Vec<Block> {
    let heading = Block::Heading("Reviewed exceptions".to_owned());
    if exceptions.is_empty() {
        return vec![heading, Block::Paragraph("There are none.".into())];
    }
    let rows = exceptions.iter().map(|exception| {
        vec![
            Rich::code(&exception.rule),
            Rich::code(&exception.place),
            if exception.function.is_empty() { Rich::default() } else { Rich::code(&exception.function) },
            words::sentence(&exception.reason).into(),
            exception.until.as_deref().unwrap_or("no end").into(),
        ]
    });
    vec![heading, table(&["Rule", "Place", "Function", "Reason", "Holds until"], rows.collect())]
}

fn table(head: &[&str], rows: Vec<Vec<Rich>>) -> Block {
    Block::Table { head: head.iter().map(|&name| name.to_owned()).collect(), rows }
}
