use std::collections::HashMap;
use std::path::PathBuf;

use super::*;
use crate::catalog::call::Effect;
use crate::manifest::check::check;
use crate::scan::ir::ExprId;
use crate::scan::site::{Guard, GuardKind, Resolution, Sink, Verdict};
use crate::scan::summary::summarise;
use crate::source::{Source, Span};

/// What a person would write into the blanks of a draft.
pub(super) fn fill(text: &str) -> String {
    text.lines().map(|line| fill_line(line) + "\n").collect()
}

fn fill_line(line: &str) -> String {
    if line.starts_with('#') || !line.contains(BLANK) {
        return line.to_owned();
    }
    let (field, _) = line.split_once(" = ").unwrap();
    let value = match field {
        "same_when" => "\"it answers the same message\"",
        "key" => "[\"message_id: text\", \"step: integer\"]",
        "layout" => "\"sqlx\"",
        "event_id" => "[\"$.id\", \"$.status\"]",
        "retention" => "\"60d\"",
        other => panic!("a blank in `{other}` is not expected"),
    };
    format!("{field} = {value}")
}

const CODE: &str = r#"
pub struct Pager { client: reqwest::Client }
impl Pager {
    pub async fn send(&self, incident: &Incident, severity: u8) {}
}
/// Charges a card. Twice would be bad.
pub async fn charge(order: &Order) {}
pub async fn draft_reply(inbound: &Message) {}
pub async fn read_only() {}
pub async fn whatsapp_webhook(Json(delivery): Json<Value>) {}
pub async fn hook(headers: HeaderMap, body: Json<StripeEvent>) {}
pub async fn receive(body: Bytes) {}
fn router() -> Router { Router::new().route("/hooks/github", get(hello).post(handlers::receive)).route("/x", post(orders)) }
pub async fn orders(body: Json<Order>) {}
async fn own(client: &Client) {}
#[test]
fn tested() {}
"#;

fn index() -> Index {
    let package = Package {
        name: "acme".to_owned(),
        library: "acme".to_owned(),
        folder: String::new(),
        dependencies: HashMap::from([("reqwest".to_owned(), "reqwest".to_owned())]),
        roots: vec!["src/lib.rs".to_owned()],
        has_library: true,
        ..Package::default()
    };
    Index::build(vec![package], vec![summarise(Source::new("src/lib.rs", CODE))])
}

fn site(index: &Index, function: &str, api: &str, effect: Effect, url: Option<&str>) -> Site {
    let id = index.function_ids().find(|id| index.function(*id).name == function).expect(function);
    Site {
        sink: Sink {
            function: id,
            expr: ExprId(0),
            file: 0,
            span: Span::new(index.function(id).span.start, index.function(id).span.end),
            api: api.to_owned(),
            effect,
            resolution: Resolution::Typed,
            undecided: None,
            reason: String::new(),
            http_method: url.map(|_| "POST".to_owned()),
            url: url.map(str::to_owned),
            natural: false,
            provider_key: None,
            built_in_retry: false,
            asked: Vec::new(),
        },
        function: index.function(id).path.clone(),
        verdict: Verdict::Unguarded,
        guard: None,
        why: None,
        callers: Vec::new(),
    }
}

fn text(index: &Index, sites: &[Site], tool: Option<(Layout, &str)>) -> Draft {
    let found = Found { index, sites, catalog: Catalog::embedded(), migrations: "migrations", tool };
    draft(Path::new("no such folder/onlyonce.toml"), &found).unwrap()
}

fn load(text: &str) -> crate::manifest::Manifest {
    check(&Source::new("onlyonce.toml", text), PathBuf::new(), &[]).unwrap_or_else(|faults| {
        panic!("{text}\n{:?}", faults.0.iter().map(|fault| &fault.message).collect::<Vec<_>>())
    })
}

fn sites(index: &Index) -> Vec<Site> {
    let send = "reqwest::RequestBuilder::send";
    let mut undecided = site(index, "own", "hyper_util::Client::request", Effect::Mutate, None);
    undecided.verdict = Verdict::Undecided;
    undecided.why = Some("the URL\nis a value".to_owned());
    let mut exempt = site(index, "own", send, Effect::Send, None);
    exempt.verdict = Verdict::Exempt;
    vec![
        site(index, "send", send, Effect::Send, Some("https://graph.facebook.com/v19.0/{}/messages")),
        site(index, "charge", send, Effect::Charge, Some("https://api.stripe.com/v1/charges")),
        site(index, "charge", send, Effect::Send, Some("https://hooks.slack.com/services/x")),
        site(index, "charge", send, Effect::Send, Some("https://hooks.slack.com/services/y")),
        site(index, "draft_reply", "async_openai::Chat::create", Effect::Model, None),
        site(index, "read_only", send, Effect::Read, Some("https://api.stripe.com/v1/charges")),
        site(index, "tested", send, Effect::Send, None),
        undecided,
        exempt,
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "BLESS=1 rewrites what is expected")]
fn the_draft_says_what_was_found_and_loads_once_its_blanks_are_filled() {
    let index = index();
    let draft = text(&index, &sites(&index), Some((Layout::Sqlx, "files like 20260101000000_a.sql")));
    let expected = include_str!("expected.toml");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/init/expected.toml"), &draft.file.text).unwrap();
    } else {
        assert_eq!(draft.file.text, expected);
    }
    assert_eq!((draft.actions, draft.sources, draft.blanks), (6, 3, 12));

    let unfilled = check(&Source::new("onlyonce.toml", draft.file.text.clone()), PathBuf::new(), &[]).unwrap_err();
    assert_eq!(unfilled.0.len(), draft.blanks);
    assert!(unfilled.0.iter().all(|fault| fault.message.contains("not filled in yet")));

    let manifest = load(&fill(&draft.file.text));
    assert_eq!(manifest.actions.len(), 6);
    assert_eq!(manifest.actions["charge"].provider.as_deref(), Some("stripe"));
    assert_eq!(manifest.actions["draft_reply"].provider.as_deref(), Some("openai"));
    assert_eq!(manifest.inbound["whatsapp"].event_id, ["$.id"]);
}

#[test]
fn nothing_found_is_a_draft_too() {
    let draft = text(&Index::default(), &[], None);
    assert_eq!((draft.actions, draft.sources, draft.blanks), (0, 0, 1));
    assert!(load(&fill(&draft.file.text)).actions.is_empty());
}

#[test]
fn the_name_of_a_known_action_is_kept() {
    let index = index();
    let mut known = site(&index, "send", "reqwest::RequestBuilder::send", Effect::Send, None);
    known.verdict = Verdict::Guarded;
    known.guard = Some(Guard { kind: GuardKind::Permit, action: Some("page".to_owned()) });
    assert!(text(&index, &[known], None).file.text.contains("[action.page]"));
}

#[test]
fn names_never_collide_however_many_there_are() {
    let mut names = Names::default();
    let wish = ["send".to_owned()];
    let taken: Vec<_> = (0..3).map(|_| names.take(&wish)).collect();
    assert_eq!(taken, ["send", "send_2", "send_3"]);
    assert_eq!(names.take(&["send2".to_owned(), "other".to_owned()]), "other");
}

#[test]
fn a_draft_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onlyonce.toml");
    std::fs::write(&path, "").unwrap();
    let index = Index::default();
    let found = Found { index: &index, sites: &[], catalog: Catalog::embedded(), migrations: "migrations", tool: None };
    assert!(draft(&path, &found).unwrap_err().message.ends_with("is there already"));
    std::fs::remove_file(&path).unwrap();
    assert!(draft(&path, &found).is_ok());
}
