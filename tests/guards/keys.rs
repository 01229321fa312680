//! Form 3 (the request carries a documented key), what documents a key, and keys that differ from attempt to attempt.

use onlyonce::scan::site::GuardKind::ProviderKey;

use super::bench::{MANIFEST, program, program_with};

fn with_header(key: &str, more: &str) -> String {
    format!(
        r#"
        pub async fn pay(http: &reqwest::Client, order: &Order) {{
            let _ = http.post("https://api.example.com/pay").header("Idempotency-Key", {key}).send().await;
        }}
        pub struct Order {{ pub id: String, pub attempt: u32 }}
        {more}"#
    )
}

const DOCUMENTED: &str = r#"
    /// The key of an order.
    ///
    /// # Idempotency key
    /// Action: send_reply
    /// - id: the order
    fn key(order: &Order) -> String { format!("pay:{}", order.id) }
"#;

/// Case 105.
#[test]
fn a_documented_key_in_the_request_guards_at_the_provider_alone() {
    let guarded = program(&with_header("key(order)", DOCUMENTED));
    guarded.is_guarded(ProviderKey, Some("send_reply"));
    assert_eq!(guarded.places("unreserved-send").len(), 1);
    assert!(!guarded.says("undocumented-key"));
}

#[test]
fn an_undocumented_key_does_not_and_one_finding_says_so() {
    for (key, more) in [
        ("&order.id", ""),
        ("format!(\"pay:{}\", order.id)", ""),
        ("key(order)", "fn key(order: &Order) -> String { order.id.clone() }"),
    ] {
        let open = program(&with_header(key, more));
        assert_eq!(open.places("undocumented-key"), [key]);
        assert!(!open.says("unguarded-send") && !open.says("unreserved-send"), "{key}");
    }
}

/// However many callers ask for the request.
#[test]
fn an_undocumented_key_is_told_of_once() {
    let open = program(
        r#"
        pub struct Order { pub id: String }
        async fn call(http: &reqwest::Client, method: reqwest::Method, order: &Order) {
            let _ = http.request(method, "https://api.example.com/pay").header("Idempotency-Key", &order.id).send().await;
        }
        pub async fn pay(http: &reqwest::Client, order: &Order) { call(http, reqwest::Method::POST, order).await }
        pub async fn change(http: &reqwest::Client, order: &Order) { call(http, reqwest::Method::PATCH, order).await }"#,
    );
    assert_eq!(open.places("undocumented-key"), ["&order.id"]);
}

#[test]
fn a_generated_key_in_the_request_is_documented() {
    let key = "keys::SendReply { inbound_message_id: &order.id, conversation_step: 1 }.key().provider_key(64)";
    program(&with_header(key, "")).is_guarded(ProviderKey, Some("send_reply"));
}

#[test]
fn documentation_that_the_code_does_not_follow_documents_nothing() {
    for (from, to) in [
        ("/// - id: the order", "/// - number: the order"),
        ("Action: send_reply", "the action"),
        ("order.id)", "order.attempt)"),
    ] {
        let open = program(&with_header("key(order)", &DOCUMENTED.replace(from, to)));
        assert_eq!(open.places("undocumented-key").len(), 1, "{from} -> {to}: {:#?}", open.judged.outcome.findings);
        assert!(!open.says("unreserved-send"));
    }
}

/// Cases 100, 101, 102.
#[test]
fn a_key_that_differs_from_attempt_to_attempt_is_told_of_where_it_does() {
    for (key, place) in [
        ("uuid::Uuid::new_v4().to_string()", "uuid::Uuid::new_v4()"),
        ("{ let id = uuid::Uuid::new_v4(); format!(\"mail-{id}\") }", "uuid::Uuid::new_v4()"),
        ("format!(\"{}-{}\", order.id, order.attempt)", "order.attempt"),
        ("fresh(order)", "std::time::SystemTime::now()"),
        ("order.id.parse::<String>().unwrap_or_else(|_| uuid::Uuid::new_v4().to_string())", "uuid::Uuid::new_v4()"),
    ] {
        let helper = "fn fresh(order: &Order) -> String { let now = std::time::SystemTime::now(); format!(\"{}{now:?}\", order.id) }";
        let found = program(&with_header(key, helper));
        assert_eq!(found.places("attempt-derived-key"), [place], "{key}: {:#?}", found.judged.outcome.findings);
        assert!(!found.says("undocumented-key") && !found.says("unguarded-send"), "{key}");
    }
}

#[test]
fn a_field_of_a_key_literal_is_followed() {
    let found = program(
        r#"
        pub async fn reply(ledger: &Ledger, id: &str, attempt: i64) {
            ledger.once(&keys::SendReply { inbound_message_id: id, conversation_step: attempt }, (), |_, _| async {}).await;
        }"#,
    );
    assert_eq!(found.places("attempt-derived-key"), ["attempt"]);
}

/// Case 103.
#[test]
fn a_fresh_id_that_is_stored_and_is_no_key_is_right() {
    let right = program(
        r#"
        pub async fn enqueue(db: &Db, message: u8) -> uuid::Uuid {
            let id = uuid::Uuid::new_v4();
            db.insert_outbox(id, &message).await;
            id
        }
        pub struct Db;
        impl Db { async fn insert_outbox(&self, _: uuid::Uuid, _: &u8) {} }"#,
    );
    assert!(!right.says("attempt-derived-key"));
}

/// Case 104.
#[test]
fn a_key_that_the_sdk_makes_afresh_is_told_of() {
    let found = program(
        r#"
        pub async fn pay(client: &stripe::Client, request: stripe_core::payment_intent::CreatePaymentIntent) {
            let _ = request.customize().request_strategy(stripe::RequestStrategy::idempotent_with_uuid()).send(client).await;
        }"#,
    );
    assert_eq!(found.places("attempt-derived-key"), ["stripe::RequestStrategy::idempotent_with_uuid()"]);
}

#[test]
fn actions_are_declared_and_used() {
    let undeclared = program(
        r#"
        pub async fn refund(ledger: &Ledger, id: &str) {
            ledger.once(&keys::Refund { order: id }, (), |_, _| async {}).await;
        }"#,
    );
    assert_eq!(undeclared.places("undeclared-action"), ["&keys::Refund { order: id }"]);
    let unused = undeclared.judged.outcome.findings.iter().find(|finding| finding.rule == "unused-action").unwrap();
    assert_eq!(unused.place.source.name(), "onlyonce.toml");
    let refund = format!("{MANIFEST}\n[action.refund]\nsummary = \"a\"\nsame_when = \"b\"\nkey = [\"order: text\"]\n");
    let declared = program_with(
        &refund,
        r#"
        pub async fn refund(ledger: &Ledger, id: &str) {
            ledger.once(&keys::Refund { order: id }, (), |_, _| async {}).await;
            ledger.reserve(&keys::SendReply { inbound_message_id: id, conversation_step: 1 }, ()).await;
        }"#,
    );
    assert!(!declared.says("undeclared-action") && !declared.says("unused-action"));
}
