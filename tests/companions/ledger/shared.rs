// One key, several sends; and what is kept and not sent.
use crate::onlyonce::{Ledger, Receipt, Reservation, keys};
struct Item { id: String, text: String }

async fn outside(ledger: &Ledger, h: &reqwest::Client, items: &[Item], run: &str) {
    let key = keys::SendReply { inbound_message_id: run, conversation_step: 1 };
    for item in items {
        let _ = ledger.once(&key, item.text.clone(), |text, _| async move { h.post("https://x").body(text).send().await }).await; //~ shared-key
    }
}
async fn inside_and_the_same(ledger: &Ledger, h: &reqwest::Client, items: Vec<Item>, run: &str) {
    for item in items {
        let key = keys::SendReply { inbound_message_id: run, conversation_step: 1 };
        let _ = ledger.once(&key, item.text, |text, _| async move { h.post("https://x").body(text).send().await }).await; //~ shared-key
    }
}
async fn by_header(h: &reqwest::Client, items: &[Item], run: &str) {
    for item in items {
        let _ = h.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", run).body(item.text.clone()).send().await; //~ shared-key
    }
}
async fn right(ledger: &Ledger, h: &reqwest::Client, items: &[Item]) {
    for item in items {
        let id = format!("a-{}", item.id);
        let key = keys::SendReply { inbound_message_id: &id, conversation_step: 1 };
        let _ = ledger.once(&key, item.text.clone(), |text, _| async move { h.post("https://x").body(text).send().await }).await;
    }
    for (step, item) in items.iter().enumerate() {
        let key = keys::SendReply { inbound_message_id: "run", conversation_step: step as i64 };
        let _ = ledger.once(&key, item.text.clone(), |text, _| async move { h.post("https://x").body(text).send().await }).await;
    }
    let mut step = 0;
    for item in items {
        step += 1;
        let key = keys::SendReply { inbound_message_id: "run", conversation_step: step };
        let _ = ledger.once(&key, item.text.clone(), |text, _| async move { h.post("https://x").body(text).send().await }).await;
    }
}
// The same act, until it is known to be done.
async fn repeated(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: &str) {
    for _ in 0..3 {
        if ledger.once(&key, text.to_owned(), |text, _| async move { h.post("https://x").body(text).send().await }).await.is_ok() { break }
    }
}
async fn two(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let _ = ledger.once(&key, (), |(), _| async move {
        h.post("https://api.example.com/messages/send").send().await?;
        h.post("https://hooks.slack.com/services/x").send().await //~ shared-key
    }).await;
}
async fn either(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, slack: bool) {
    let _ = ledger.once(&key, (), |(), _| async move {
        if slack { h.post("https://hooks.slack.com/services/x").send().await } else { h.post("https://api.example.com/messages/send").send().await }
    }).await;
}
async fn every(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, items: Vec<Item>) {
    let _ = ledger.once(&key, items, |items, _| async move {
        for item in items {
            h.post("https://api.example.com/messages/send").body(item.text).send().await?; //~ shared-key
        }
        Ok(Receipt::accepted())
    }).await;
}

async fn kept(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    let _ = ledger.once(&key, text.clone(), |_, _| async move { h.post("https://x").body(text).send().await }).await; //~ stored-payload-ignored
}
async fn kept_and_logged(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    let _ = ledger.once(&key, text.clone(), |kept, _| async move {
        tracing::info!("sends {}", kept);
        h.post("https://x").body(text).send().await //~ stored-payload-ignored
    }).await;
}
async fn post(h: &reqwest::Client, text: &str) -> reqwest::Result<()> { h.post("https://x").body(text.to_owned()).send().await.map(drop) }
async fn through_a_helper(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    let _ = ledger.once(&key, text.clone(), |kept, _| async move {
        tracing::info!("sends {}", kept.len());
        post(h, &text).await //~ stored-payload-ignored
    }).await;
}
async fn built_of_it(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String, to: &str) {
    let _ = ledger.once(&key, text, |kept, _| async move {
        let mut body = std::collections::HashMap::new();
        body.insert("to", to.to_owned());
        body.insert("text", kept);
        h.post("https://x").json(&body).send().await
    }).await;
}
async fn through_a_helper_right(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    let _ = ledger.once(&key, text.clone(), |kept, _| async move {
        let note = format!("{kept}!");
        post(h, &note).await
    }).await;
}
async fn nothing_kept(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let _ = ledger.once(&key, (), |(), _| async move { h.post("https://x").send().await }).await;
}
async fn nothing_named(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let _ = ledger.once(&key, (), |_, _| async move { h.post("https://x").send().await }).await;
}
async fn by_hand(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    if let Ok(Reservation::Go(permit, _)) = ledger.reserve(&key, text.clone()).await {
        let _ = h.post("https://x").body(text).send().await; //~ stored-payload-ignored
        permit.sent(Receipt::accepted()).await;
    }
}
async fn by_hand_right(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    if let Ok(Reservation::Go(permit, text)) = ledger.reserve(&key, text).await {
        let _ = h.post("https://x").body(text).send().await;
        permit.sent(Receipt::accepted()).await;
    }
}
