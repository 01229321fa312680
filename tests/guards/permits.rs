//! Form 2: a permit or slot in scope, not yet consumed.

use onlyonce::scan::site::GuardKind::Permit;

use super::bench::program;

/// Case 98.
#[test]
fn a_helper_that_takes_a_permit_or_slot_may_send() {
    for proof in ["Permit<keys::SendReply<'_>>", "&Slot<keys::SendReply<'_>>"] {
        program(&format!(
            r#"
            pub async fn deliver(_proof: {proof}, http: &reqwest::Client) {{
                http.post("https://api.example.com/send").send().await;
            }}"#
        ))
        .is_guarded(Permit, Some("send_reply"));
    }
    program(
        r#"
        pub async fn deliver(_ledger: &Ledger, http: &reqwest::Client) {
            http.post("https://api.example.com/send").send().await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn the_go_arm_of_a_reservation_gives_a_permit() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            match ledger.reserve(&key, ()).await? {
                Reservation::Go(permit, _payload) => {
                    let answer = http.post("https://api.example.com/send").send().await;
                    permit.sent(answer).await;
                }
                _ => {}
            }
        }"#,
    )
    .is_guarded(Permit, Some("send_reply"));
}

#[test]
fn another_arm_gives_none() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            match ledger.reserve(&key, ()).await? {
                Reservation::Go(permit, _payload) => permit.not_attempted("later").await,
                _ => { http.post("https://api.example.com/send").send().await; }
            }
        }"#,
    )
    .is_unguarded();
}

#[test]
fn let_else_gives_a_permit() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            let Reservation::Go(permit, _payload) = ledger.reserve(&key, ()).await? else { return };
            let answer = http.post("https://api.example.com/send").send().await;
            permit.sent(answer).await;
        }"#,
    )
    .is_guarded(Permit, Some("send_reply"));
}

#[test]
fn the_result_may_stand_around_it() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            if let Ok(Reservation::Go(permit, _payload)) = ledger.reserve(&key, ()).await {
                let answer = http.post("https://api.example.com/send").send().await;
                permit.sent(answer).await;
            }
        }"#,
    )
    .is_guarded(Permit, Some("send_reply"));
}

/// Case 99.
#[test]
fn a_reservation_whose_verdict_is_not_looked_at_gives_none() {
    program(
        r#"
        pub async fn reply(ledger: &Ledger, http: &reqwest::Client, key: keys::SendReply<'_>) {
            let _ = ledger.reserve(&key, ()).await;
            http.post("https://api.example.com/send").send().await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn a_consumed_permit_guards_nothing_any_more() {
    for end in [
        "permit.sent(receipt).await;",
        "drop(permit);",
        "permit.unknown(\"lost\").await;",
        "keep(permit);",
        "let same = { permit }; same.sent(receipt).await;",
        "loop { if late() { permit.sent(receipt).await; break; } }",
        "for _ in times { permit.sent(receipt).await; continue; }",
        "async move { permit.sent(receipt).await; return; }.await;",
    ] {
        program(&format!(
            r#"
            pub async fn deliver(permit: Permit<keys::SendReply<'_>>, http: &reqwest::Client, receipt: u8) {{
                {end}
                http.post("https://api.example.com/send").send().await;
            }}
            fn keep<T>(_: T) {{}}"#
        ))
        .is_unguarded();
    }
}

#[test]
fn a_branch_that_leaves_or_is_another_one_consumes_nothing_here() {
    for before in [
        "if late { permit.not_attempted(\"late\").await; return; }",
        "if late { permit.not_attempted(\"late\").await; } else",
        "let _ = &permit;",
        "look(&permit);",
    ] {
        program(&format!(
            r#"
            pub async fn deliver(permit: Permit<keys::SendReply<'_>>, http: &reqwest::Client, late: bool) {{
                {before} {{ http.post("https://api.example.com/send").send().await; }}
            }}
            fn look<T>(_: &T) {{}}"#
        ))
        .is_guarded(Permit, Some("send_reply"));
    }
}

#[test]
fn a_permit_that_moves_into_a_task_goes_along_and_one_that_stays_does_not() {
    program(
        r#"
        pub async fn deliver(permit: Permit<keys::SendReply<'_>>, http: reqwest::Client) {
            tokio::spawn(async move {
                let answer = http.post("https://api.example.com/send").send().await;
                permit.sent(answer).await;
            });
        }"#,
    )
    .is_guarded(Permit, Some("send_reply"));
    program(
        r#"
        pub async fn deliver(permit: Permit<keys::SendReply<'_>>, http: reqwest::Client) {
            tokio::spawn(async move { let _ = http.post("https://api.example.com/send").send().await; });
            permit.unknown("started").await;
        }"#,
    )
    .is_unguarded();
}

#[test]
fn a_type_of_the_same_name_from_elsewhere_is_no_permit() {
    program(
        r#"
        pub mod pool { pub struct Permit; }
        pub async fn deliver(_permit: pool::Permit, http: &reqwest::Client) {
            http.post("https://api.example.com/send").send().await;
        }"#,
    )
    .is_unguarded();
}
