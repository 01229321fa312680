//! Form 4: every caller is guarded, and nothing outside can call it.

use onlyonce::scan::site::GuardKind::{Callers, Once};

use super::bench::program;

const GUARDED: &str = r#"
    pub async fn a(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
        ledger.once(&key, (), |_, _| async move { charge(http).await }).await;
    }
    async fn charge(http: &reqwest::Client) { inner(http).await }
    async fn inner(http: &reqwest::Client) { let _ = http.post("https://api.example.com/send").send().await; }
"#;

/// Case 97.
#[test]
fn a_function_is_guarded_when_every_caller_is() {
    program(GUARDED).is_guarded(Callers, Some("send_reply"));
}

/// Case 97, the other half: told at the send, with the caller that is open.
#[test]
fn one_open_caller_opens_it() {
    let open = program(&format!("{GUARDED}\npub async fn b(http: &reqwest::Client) {{ inner(http).await }}"));
    open.is_unguarded();
    let finding = open.judged.outcome.findings.iter().find(|finding| finding.rule == "unguarded-send").unwrap();
    let open_calls = finding.related.iter().filter(|label| label.text.contains("without a guard"));
    let calls: Vec<&str> = open_calls.map(|label| label.source.slice(label.span)).collect();
    assert_eq!(calls, ["inner(http)"]);
}

#[test]
fn a_function_that_nobody_calls_is_open() {
    program(
        r#"
        use crate::onlyonce::Ledger as _Ledger;
        async fn inner(http: &reqwest::Client) { let _ = http.post("https://api.example.com/send").send().await; }"#,
    )
    .is_unguarded();
}

#[test]
fn a_cycle_guards_nothing() {
    program(
        r#"
        async fn ping(http: &reqwest::Client, n: u8) {
            let _ = http.post("https://api.example.com/send").send().await;
            pong(http, n).await
        }
        async fn pong(http: &reqwest::Client, n: u8) { if n > 0 { Box::pin(ping(http, n - 1)).await } }"#,
    )
    .is_unguarded();
}

#[test]
fn a_handler_can_be_called_from_outside() {
    program(&GUARDED.replace("async fn inner", "#[tool] async fn inner")).is_unguarded();
}

#[test]
fn a_function_given_to_once_is_guarded() {
    program(
        r#"
        pub async fn a(ledger: &Ledger, key: keys::SendReply<'_>) { ledger.once(&key, (), deliver).await; }
        async fn deliver(_payload: (), _slot: u8) { let _ = reqwest::Client::new().post("https://api.example.com/send").send().await; }"#,
    )
    .is_guarded(Callers, Some("send_reply"));
}

/// Case 34: the site is the helper's, the finding stands at the caller that asks for a write.
#[test]
fn a_helper_that_is_given_the_request_is_told_of_at_its_callers() {
    let text = r#"
        async fn exec(request: reqwest::RequestBuilder) -> reqwest::Result<()> { request.send().await.map(drop) }
        pub async fn reads(http: &reqwest::Client) { let _ = exec(http.get("https://api.example.com/a")).await; }
    "#;
    let write = r#"pub async fn writes(http: &reqwest::Client) { let _ = exec(http.post("https://api.example.com/b")).await; }"#;
    let open = program(&format!("{text}{write}"));
    open.is_unguarded();
    assert_eq!(open.places("unguarded-send"), [r#"exec(http.post("https://api.example.com/b")).await"#]);
    let guarded = r#"pub async fn writes(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
        ledger.once(&key, (), |_, _| async move { exec(http.post("https://api.example.com/b")).await }).await;
    }"#;
    program(&format!("{text}{guarded}")).is_guarded(Once, Some("send_reply"));
}

/// The guard of the caller is over before the task sends.
#[test]
fn a_helper_that_starts_a_task_is_not_guarded_by_its_callers() {
    for (helper, call) in [
        ("fn charge(http: reqwest::Client) { tokio::spawn(async move { SEND; }); }", "charge(http)"),
        ("async fn charge(http: reqwest::Client) { SEND; }", "tokio::spawn(charge(http))"),
        ("async fn charge(http: reqwest::Client) { SEND; }", "let later = charge(http); tokio::spawn(later)"),
        (
            "fn charge(http: reqwest::Client) { start(http.post(\"https://api.example.com/send\")) }
             fn start(request: reqwest::RequestBuilder) { tokio::spawn(async move { request.send().await }); }",
            "charge(http)",
        ),
    ] {
        let helper = helper.replace("SEND", r#"http.post("https://api.example.com/send").send().await"#);
        program(&format!(
            r#"
            pub async fn a(ledger: &Ledger, http: reqwest::Client, key: keys::SendReply<'_>) {{
                ledger.once(&key, (), |_, _| async {{ {call}; }}).await;
            }}
            {helper}"#
        ))
        .is_unguarded();
    }
}

/// Who calls them cannot be seen: a table of handlers, a macro that makes items, an attribute of some framework.
#[test]
fn a_function_that_is_handed_on_can_be_called_from_outside() {
    for handed in [
        "pub static TABLE: &[(&str, Handler)] = &[(\"charge\", charge)];",
        "const START: Handler = charge;",
        "static READY: LazyLock<()> = LazyLock::new(|| run(charge(&CLIENT)));",
        "inventory::submit! { Handler::new(\"charge\", charge) }",
    ] {
        program(&format!("{GUARDED}\n{handed}")).is_unguarded();
    }
    for attribute in ["framework::on_message", "subscribe(topic = \"orders\")", "cron(\"0 * * * *\")"] {
        program(&GUARDED.replace("async fn charge", &format!("#[{attribute}] async fn charge"))).is_unguarded();
    }
    for attribute in
        ["inline", "must_use", "allow(unused)", "tracing::instrument(skip_all)", "cfg(unix)", "expect(dead_code)"]
    {
        program(&GUARDED.replace("async fn charge", &format!("#[{attribute}] async fn charge")))
            .is_guarded(Callers, Some("send_reply"));
    }
}

/// A method that is guarded wherever its calls are known, and a call by its name on something unknown.
fn with_a_call_by_name(call: &str) -> String {
    format!(
        r#"
        struct Mailer {{ http: reqwest::Client }}
        impl Mailer {{
            async fn deliver(&self, to: &str) {{ let _ = self.http.post("https://api.example.com/send").body(to.to_owned()).send().await; }}
        }}
        pub async fn a(ledger: &Ledger, mailer: &Mailer, key: keys::SendReply<'_>) {{
            ledger.once(&key, (), |_, _| async move {{ mailer.deliver("x").await }}).await;
        }}
        pub async fn b(held: impl Holder) {{ {call} }}
    "#
    )
}

#[test]
fn a_call_by_name_on_something_unknown_leaves_it_undecided() {
    program(&with_a_call_by_name("held.it().deliver(\"y\").await")).is_undecided("without a guard");
}

#[test]
fn a_call_by_name_with_other_arguments_is_another_method() {
    program(&with_a_call_by_name("held.it().deliver().await")).is_guarded(Callers, Some("send_reply"));
}
