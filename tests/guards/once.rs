//! Form 1: in the closure given to `once` or to a declared guard, awaited there.

use onlyonce::scan::site::GuardKind::{Custom, Once};

use super::bench::{MANIFEST, program, program_with};

#[test]
fn a_send_in_the_closure_of_once_is_guarded() {
    let guarded = program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, id: &str) {
            let key = keys::SendReply { inbound_message_id: id, conversation_step: 1 };
            ledger.once(&key, "hello".to_owned(), |payload, _slot| async move {
                http.post("https://api.example.com/send").json(&payload).send().await.map(receipt).map_err(failed)
            }).await;
        }
        fn receipt(_: reqwest::Response) {}
        fn failed(_: reqwest::Error) {}"#,
    );
    guarded.is_guarded(Once, Some("send_reply"));
}

#[test]
fn a_send_beside_the_closure_is_not() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, id: &str) {
            let key = keys::SendReply { inbound_message_id: id, conversation_step: 1 };
            ledger.once(&key, (), |_, _| async move { Ok(()) }).await;
            http.post("https://api.example.com/send").send().await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn once_of_another_type_is_no_guard() {
    program(
        r#"
        pub struct Cell;
        impl Cell { pub async fn once<F>(&self, _: &str, _: (), _: F) {} }
        pub async fn reply(cell: &Cell, http: &reqwest::Client) {
            cell.once("k", (), |_, _| async move { http.post("https://api.example.com/send").send().await }).await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn a_ledger_in_a_field_is_known() {
    program(
        r#"
        pub struct Bot { ledger: Ledger, http: reqwest::Client }
        impl Bot {
            pub async fn reply(&self, id: &str) {
                self.ledger.once(&keys::SendReply { inbound_message_id: id, conversation_step: 1 }, (), |_, _| async {
                    self.http.post("https://api.example.com/send").send().await
                }).await;
            }
        }"#,
    )
    .is_guarded(Once, Some("send_reply"));
}

#[test]
fn a_closure_in_a_variable_is_guarded_when_every_use_is() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            let send = |_payload: (), _slot: Slot<keys::SendReply<'_>>| async { http.post("https://api.example.com/send").send().await };
            ledger.once(&key, (), send).await;
        }"#,
    )
    .is_guarded(Once, Some("send_reply"));
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            let send = || async { http.post("https://api.example.com/send").send().await };
            ledger.once(&key, (), |_, _| send()).await;
            send().await;
        }"#,
    )
    .is_unguarded();
}

/// Case 61.
#[test]
fn a_task_that_is_started_and_left_alone_is_not_covered() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: reqwest::Client, key: keys::SendReply<'_>) {
            ledger.once(&key, (), |_, _| async move {
                tokio::spawn(async move { let _ = http.post("https://api.example.com/send").send().await; });
            }).await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn a_task_that_is_waited_for_is_covered() {
    for wait in ["task.await;", "let _ = tokio::join!(task);"] {
        program(&format!(
            r#"
            pub async fn reply(ledger: &Ledger, http: reqwest::Client, key: keys::SendReply<'_>) {{
                ledger.once(&key, (), |_, _| async move {{
                    let task = tokio::spawn(async move {{ http.post("https://api.example.com/send").send().await }});
                    {wait}
                }}).await;
            }}"#
        ))
        .is_guarded(Once, Some("send_reply"));
    }
}

const DECLARED: &str = "\n[[scan.guard]]\npath = \"acme::outbox::dispatch_once\"\nkey = 0\nbody = 1\n";

/// Case 96.
#[test]
fn a_declared_guard_guards_its_body_argument() {
    let manifest = format!("{MANIFEST}{DECLARED}");
    let text = |path: &str| {
        format!(
            r#"
            pub mod outbox {{ pub async fn {path}<F>(_key: &str, _body: F) {{}} }}
            pub async fn reply(http: &reqwest::Client, id: &str) {{
                outbox::{path}(id, || async {{ http.post("https://api.example.com/send").send().await }}).await;
            }}"#
        )
    };
    program_with(&manifest, &text("dispatch_once")).is_guarded(Custom, None);
    program_with(&manifest, &text("dispatch")).is_unguarded();
}

/// What the guard does not run itself may run after it was recorded, or never.
#[test]
fn a_future_that_leaves_the_guard_unawaited_is_not_covered() {
    let send = r#"http.post("https://api.example.com/send").send().await"#;
    for body in [
        format!("Ok(|| async {{ {send}; }})"),
        format!("Ok(Box::pin(async {{ {send}; }}))"),
        format!("let later = async {{ {send}; }}; Ok(later)"),
        format!("let later = async {{ {send}; }}; tokio::spawn(later); Ok(())"),
        format!("let later = async {{ {send}; }}; let other = later; tokio::spawn(other); Ok(())"),
        format!("jobs.push(Box::pin(async {{ {send}; }})); Ok(())"),
        format!("jobs.add(Job {{ run: Box::new(move || async {{ {send}; }}) }}); Ok(())"),
        format!("slot.later = Some(async {{ {send}; }}); Ok(())"),
        format!("let task = tokio::spawn(async {{ {send}; }}); Ok(task)"),
        format!("let task = tokio::spawn(async {{ {send}; }}); drop(task); Ok(())"),
        format!("outer.spawn(async {{ {send}; }}); Ok(())"),
    ] {
        program(&format!(
            r#"
            pub async fn reply(ledger: &Ledger, http: reqwest::Client, key: keys::SendReply<'_>, outer: &mut Set) {{
                ledger.once(&key, (), |_, slot| async move {{ {body} }}).await;
                outer.join_next().await;
            }}"#
        ))
        .is_unguarded();
    }
}

#[test]
fn a_future_that_is_awaited_inside_is_covered_however_it_is_written() {
    let send = r#"http.post("https://api.example.com/send").send().await"#;
    for body in [
        format!("async move {{ let sent = async {{ {send} }}; sent.await }}"),
        format!("async move {{ let send = || async {{ {send} }}; send().await }}"),
        format!("async move {{ let sent = async {{ {send} }}; tokio::time::timeout(limit, sent).await }}"),
        format!("async move {{ tokio::time::timeout(limit, async {{ {send} }}).await }}"),
        format!("async move {{ futures::join!(async {{ {send} }}, other()) }}"),
        format!("async move {{ ids.map(|id| async {{ {send} }}).buffered(4).collect().await }}"),
        format!("async move {{ let all = vec![async {{ {send} }}]; futures::future::join_all(all).await }}"),
        format!("{{ let http = http.clone(); Box::pin(async move {{ {send} }}) }}"),
        format!("async move {{ let mut all = Vec::new(); all.push(async {{ {send} }}); join_all(all).await }}"),
    ] {
        program(&format!(
            r#"
            pub async fn reply(ledger: &Ledger, http: reqwest::Client, key: keys::SendReply<'_>) {{
                ledger.once(&key, (), |_, _| {body}).await;
            }}"#
        ))
        .is_guarded(Once, Some("send_reply"));
    }
}

/// The file of the generated client need not be there, and the type of what holds the ledger need not be known: a key
/// of a generated type shows it, in a variable too.
#[test]
fn a_key_in_a_variable_shows_the_ledger() {
    for holder in ["self.ledger", "app().ledger", "state.ledger()"] {
        let text = r#"
        pub struct App { ledger: Ledger }
        impl App {
            pub async fn reply(&self, http: &reqwest::Client, state: &State, id: &str) {
                let key = keys::SendReply { inbound_message_id: id, conversation_step: 1 };
                HOLDER.once(&key, (), |(), _slot| async move {
                    http.post("https://api.example.com/send").send().await
                }).await;
            }
        }"#;
        program(&text.replace("HOLDER", holder)).is_guarded(Once, Some("send_reply"));
    }
    let other = r#"
        pub async fn reply(http: &reqwest::Client, runner: &Runner, key: String) {
            runner.inner().once(&key, (), |(), _slot| async move {
                http.post("https://api.example.com/send").send().await
            }).await;
        }"#;
    program(other).is_unguarded();
}
