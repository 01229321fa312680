use std::path::PathBuf;

use super::*;
use crate::manifest::check::check;
use crate::source::Source;

const GOOD: &str = r#"version = 1

[schema]
layout = "sqlx"

[action.mail]
summary = "Mail"
same_when = "it goes to the same company"
key = ["company: domain"]
provider = "resend"
when_unknown = "retry"

[action.reply]
summary = "Reply"
same_when = "it answers the same message"
key = ["message_id: text", "step: integer"]
send_budget = "20s"

[inbound.whatsapp]
provider = "whatsapp_cloud"
event_id = "$.id"
retention = "14d"
"#;

fn manifest(text: &str) -> Manifest {
    check(&Source::new("onlyonce.toml", text), PathBuf::new(), &[]).unwrap()
}

/// The manifest with one text in place of another, which must be there.
fn with(from: &str, to: &str) -> Manifest {
    assert!(GOOD.contains(from), "{from}");
    manifest(&GOOD.replace(from, to))
}

/// Without the table of that header.
fn without(header: &str) -> Manifest {
    let tables: Vec<_> = GOOD.split("\n\n").filter(|table| !table.starts_with(header)).collect();
    assert!(tables.len() < GOOD.split("\n\n").count());
    manifest(&tables.join("\n\n"))
}

fn emitted() -> Emitted {
    Emitted::of(&manifest(GOOD))
}

fn changes(emitted: &Emitted, manifest: &Manifest) -> Vec<String> {
    let word = |change: &Change| match change {
        Change::ActionAdded { name, .. } => format!("action added {name}"),
        Change::ActionChanged { name, .. } => format!("action changed {name}"),
        Change::ActionRetired { name, .. } => format!("action retired {name}"),
        Change::ActionRevived { name, .. } => format!("action revived {name}"),
        Change::InboundAdded { name, .. } => format!("inbound added {name}"),
        Change::InboundChanged { name, .. } => format!("inbound changed {name}"),
        Change::InboundRetired { name, .. } => format!("inbound retired {name}"),
        Change::InboundRevived { name, .. } => format!("inbound revived {name}"),
    };
    diff(emitted, manifest).unwrap().iter().map(word).collect()
}

/// Message and the text that the fault points at, each.
fn faults(emitted: &Emitted, manifest: &Manifest) -> Vec<(String, String)> {
    let faults = diff(emitted, manifest).unwrap_err().0;
    faults
        .into_iter()
        .map(|fault| (fault.message, manifest.source.slice(fault.place.unwrap().span).to_owned()))
        .collect()
}

#[test]
fn no_difference_is_no_change_and_words_for_people_are_none() {
    assert_eq!(changes(&emitted(), &manifest(GOOD)), [""; 0]);
    let reworded =
        with("summary = \"Reply\"\nsame_when = \"it answers", "summary = \"Answer\"\nsame_when = \"it is for");
    assert_eq!(changes(&emitted(), &reworded), [""; 0]);
}

#[test]
fn the_lock_keeps_everything() {
    let text = toml::to_string(&emitted()).unwrap();
    assert_eq!(toml::from_str::<Emitted>(&text).unwrap(), emitted(), "{text}");
    assert!(text.contains("send_budget = \"20s\"") && text.contains("key_window = \"1d\""), "{text}");
}

#[test]
fn settings_change_and_types_come_and_go() {
    for (wanted, expected) in [
        (with("20s", "25s"), "action changed reply"),
        (with("provider = \"resend\"\nwhen_unknown = \"retry\"", ""), "action changed mail"),
        (with("14d", "15d"), "inbound changed whatsapp"),
        (with("14d\"", "14d\"\nmode = \"transaction\""), "inbound changed whatsapp"),
        (without("[action.mail]"), "action retired mail"),
        (without("[inbound.whatsapp]"), "inbound retired whatsapp"),
    ] {
        assert_eq!(changes(&emitted(), &wanted), [expected]);
    }
    let smaller = Emitted::of(&without("[action.mail]"));
    assert_eq!(changes(&smaller, &manifest(GOOD)), ["action added mail"]);
}

#[test]
fn once_applied_nothing_differs_and_what_was_retired_is_remembered() {
    let mut state = emitted();
    for wanted in [without("[action.reply]"), without("[inbound.whatsapp]"), with("20s", "25s"), manifest(GOOD)] {
        let steps = diff(&state, &wanted).unwrap();
        assert!(!steps.is_empty());
        state.apply(&steps);
        assert_eq!(diff(&state, &wanted).unwrap(), []);
        assert_eq!((state.actions.len(), state.inbound.len()), (2, 1));
    }
    assert_eq!(state, emitted());
}

#[test]
fn what_was_retired_comes_back_with_its_own_key_only() {
    let mut state = emitted();
    state.apply(&diff(&state, &without("[action.reply]")).unwrap());
    assert!(state.actions["reply"].retired);
    assert_eq!(changes(&state, &with("20s", "25s")), ["action revived reply"]);
    let rekeyed = with("\"step: integer\"", "\"turn: integer\"");
    assert_eq!(
        faults(&state, &rekeyed),
        [(
            "the key of `reply`, retired since, was emitted as [\"message_id: text\", \"step: integer\"]".to_owned(),
            "[\"message_id: text\", \"turn: integer\"]".to_owned()
        )]
    );
}

#[test]
fn another_key_is_refused_in_every_way_it_can_differ() {
    let key = "[\"message_id: text\", \"step: integer\"]";
    for other in [
        "[\"message_id: text\"]",
        "[\"step: integer\", \"message_id: text\"]",
        "[\"message_id: text\", \"step: text\"]",
        "[\"message: text\", \"step: integer\"]",
        "[\"message_id: text\", \"step: integer\", \"tenant: uuid\"]",
    ] {
        let wanted = with(key, other);
        assert_eq!(
            faults(&emitted(), &wanted),
            [(format!("the key of `reply` was emitted as {key}"), other.to_owned())]
        );
    }
}

#[test]
fn what_no_migration_may_change_is_refused_all_at_once() {
    let wanted = with("layout = \"sqlx\"", "name = \"other\"\nlayout = \"goose\"\nroles = \"none\"\npartitions = 8");
    let messages: Vec<_> =
        faults(&emitted(), &wanted).into_iter().map(|(message, place)| format!("{message} | {place}")).collect();
    assert_eq!(
        messages,
        [
            "[schema] name was emitted as \"onlyonce\" and is now \"other\" | \"other\"",
            "[schema] layout was emitted as \"sqlx\" and is now \"goose\" | \"goose\"",
            "[schema] roles was emitted as \"create\" and is now \"none\" | \"none\"",
            "[schema] partitions was emitted as 0 and is now 8 | 8",
        ]
    );
    let model = with("summary = \"Reply\"", "kind = \"model\"\nsummary = \"Reply\"");
    assert_eq!(
        faults(&emitted(), &model),
        [("the kind of `reply` was emitted as \"send\"".to_owned(), "\"model\"".to_owned())]
    );
}
