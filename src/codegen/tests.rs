//! What the generated text holds; `tests/generated.rs` compiles and runs it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::key::PartType;
use crate::manifest::{
    Action, Client, Distribution, ErrorCrate, Generate, Inbound, InboundMode, KeyPart, Kind, Layout, Places, Roles,
    Scan, Schema, WhenUnknown,
};
use crate::source::{Source, Span};

const ALL: [(&str, PartType); 6] = [
    ("message_id", PartType::Text),
    ("step", PartType::Integer),
    ("order_id", PartType::Uuid),
    ("day", PartType::Date),
    ("customer", PartType::Email),
    ("company_domain", PartType::Domain),
];

fn action(name: &str, key: &[(&str, PartType)]) -> (String, Action) {
    let key = key.iter().map(|(name, part_type)| KeyPart { name: (*name).to_owned(), part_type: *part_type });
    let action = Action {
        name: name.to_owned(),
        kind: Kind::Send,
        summary: "Reply to a\n  customer's [WhatsApp] message".to_owned(),
        same_when: "it answers the same message".to_owned(),
        key: key.collect(),
        provider: None,
        send_budget: Duration::from_secs(30),
        pending_timeout: Duration::from_secs(300),
        max_attempts: 5,
        when_unknown: WhenUnknown::Reconcile,
        keep: None,
        keep_key: None,
        span: Span::default(),
    };
    (name.to_owned(), action)
}

fn manifest(actions: impl IntoIterator<Item = (String, Action)>) -> Manifest {
    let inbound = Inbound {
        name: "whatsapp".to_owned(),
        provider: None,
        items: None,
        event_id: vec!["$.id".to_owned()],
        mode: InboundMode::Claim,
        claim_timeout: Duration::from_secs(300),
        retention: Duration::from_secs(86_400),
        span: Span::default(),
    };
    Manifest {
        source: Source::new("onlyonce.toml", "version = 1\n"),
        root: "app".into(),
        schema: Schema {
            name: "acme".to_owned(),
            migrations: "migrations".into(),
            layout: Layout::Sqlx,
            postgres: 14,
            roles: Roles::Create,
            partitions: 0,
            distribution: Distribution::None,
            adopt: None,
            span: Span::default(),
        },
        actions: actions.into_iter().collect(),
        inbound: BTreeMap::from([("whatsapp".to_owned(), inbound)]),
        generate: Generate {
            path: "src/onlyonce.rs".into(),
            client: Client::Sqlx,
            prepared: true,
            errors: vec![],
            metrics: false,
            tracing: false,
        },
        scan: Scan::default(),
        places: Places::default(),
    }
}

fn text(manifest: &Manifest) -> String {
    generate(manifest).text
}

#[test]
fn it_is_rust_and_says_its_derivations_in_the_form_that_tools_read() {
    let text = text(&manifest([action("send_reply", &ALL)]));
    syn::parse_file(&text).unwrap();
    assert!(text.starts_with(MARK), "{text}");
    let derivation = "
    /// # Idempotency key
    /// Action: send_reply
    /// - message_id: text, byte for byte
    /// - step: a whole number of 64 bits, in decimal
    /// - order_id: a UUID, in lower case with hyphens
    /// - day: a date, as YYYY-MM-DD
    /// - customer: an email address, its domain in ASCII and lower case, hashed
    /// - company_domain: a domain, in ASCII and lower case
";
    assert!(text.contains(derivation), "{text}");
    assert!(text.contains("/// Reply to a customer's \\[WhatsApp\\] message.\n"), "{text}");
    assert!(text.contains("pub day: chrono::NaiveDate,"), "{text}");
}

#[test]
fn the_schema_and_the_pooler_are_the_manifests() {
    let mut manifest = manifest([action("ping", &[("number", PartType::Integer)])]);
    manifest.generate.prepared = false;
    let text = text(&manifest);
    assert!(text.contains("CALL acme.reserve("), "{text}");
    assert!(!text.contains("ledger_schema"), "{text}");
    assert!(text.contains("AssertSqlSafe") && !text.contains("sqlx::query"), "{text}");
}

#[test]
fn what_the_manifest_does_not_use_is_left_out_with_its_crates() {
    let mut manifest = manifest([action("ping", &[("number", PartType::Integer)])]);
    for word in ["idna", "chrono", "reqwest"] {
        assert!(!text(&manifest).contains(word), "{word}");
        assert!(!dependencies(&manifest).contains(word), "{word}");
    }
    manifest.actions.extend([action("send_reply", &ALL)]);
    manifest.generate.errors = vec![ErrorCrate::Reqwest];
    for word in ["idna", "chrono", "reqwest"] {
        assert!(text(&manifest).contains(word), "{word}");
        assert!(dependencies(&manifest).contains(word), "{word}");
    }
    assert!(dependencies(&manifest).lines().is_sorted());
}

#[test]
fn each_driver_has_its_own_crate_and_all_that_promises_in_common() {
    let mut manifest = manifest([action("ping", &[("number", PartType::Integer)])]);
    let of = |client: Client, manifest: &mut Manifest| {
        manifest.generate.client = client;
        (text(manifest), dependencies(manifest))
    };
    let sqlx = of(Client::Sqlx, &mut manifest);
    let tokio_postgres = of(Client::TokioPostgres, &mut manifest);
    syn::parse_file(&tokio_postgres.0).unwrap();
    for (name, other, client) in [("sqlx", "tokio_postgres", &sqlx), ("tokio_postgres", "sqlx", &tokio_postgres)] {
        assert!(client.0.contains(name) && !client.0.contains(other), "{name}");
        let (name, other) = (name.replace('_', "-"), other.replace('_', "-"));
        assert!(client.1.contains(&name) && !client.1.contains(&other), "{name}");
        assert!(client.1.lines().is_sorted());
    }
    let public = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.trim_start().starts_with("pub "));
        lines.map(|line| line.trim().to_owned()).filter(|line| !line.contains("DatabaseError")).collect()
    };
    let (mut before, mut after) = (public(&sqlx.0), public(&tokio_postgres.0));
    before.retain(|line| line != "pub fn new(pool: PgPool) -> Self {");
    after.retain(|line| line != "pub fn new(client: impl Into<Arc<Client>>) -> Self {");
    after.retain(|line| line != "pub fn pooled<F, Fut, C, E, V>(take: F, client: V) -> Self");
    assert_eq!(before, after);
}
