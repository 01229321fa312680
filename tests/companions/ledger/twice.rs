// One key for two acts: given to two guards, one permit for two sends, a key that stands in the address.
use crate::onlyonce::{Ledger, Permit, Receipt, Reservation, keys};
struct Item { id: String, text: String }

async fn two_guards(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String, note: String) {
    let _ = ledger.once(&key, text, |text, _| async move { h.post("https://x").body(text).send().await }).await;
    let _ = ledger.once(&key, note, |note, _| async move { h.post("https://y").body(note).send().await }).await; //~ shared-key
}
// The same act once more, and one or the other.
async fn once_more(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String) {
    if ledger.once(&key, text.clone(), |text, _| async move { h.post("https://x").body(text).send().await }).await.is_err() {
        let _ = ledger.once(&key, text, |text, _| async move { h.post("https://x").body(text).send().await }).await;
    }
}
async fn either(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, text: String, slack: bool) {
    if slack {
        let _ = ledger.once(&key, text, |text, _| async move { h.post("https://x").body(text).send().await }).await;
    } else {
        let _ = ledger.once(&key, text, |text, _| async move { h.post("https://y").body(text).send().await }).await;
    }
}
async fn two_keys(ledger: &Ledger, h: &reqwest::Client, id: &str, text: String, note: String) {
    let key = keys::SendReply { inbound_message_id: id, conversation_step: 1 };
    let _ = ledger.once(&key, text, |text, _| async move { h.post("https://x").body(text).send().await }).await;
    let key = keys::SendReply { inbound_message_id: id, conversation_step: 2 };
    let _ = ledger.once(&key, note, |note, _| async move { h.post("https://y").body(note).send().await }).await;
}

async fn one_permit(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    let _ = h.post("https://api.example.com/messages/send").send().await;
    let _ = h.post("https://hooks.slack.com/services/x").send().await; //~ shared-key
    permit.sent(Receipt::accepted()).await;
}
async fn taken(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    if let Ok(Reservation::Go(permit, ())) = ledger.reserve(&key, ()).await {
        let _ = h.post("https://api.example.com/messages/send").send().await;
        let _ = h.post("https://hooks.slack.com/services/x").send().await; //~ shared-key
        permit.sent(Receipt::accepted()).await;
    }
}
async fn one_or_the_other(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>, slack: bool) {
    if slack {
        let _ = h.post("https://hooks.slack.com/services/x").send().await;
    } else {
        let _ = h.post("https://api.example.com/messages/send").send().await;
    }
    permit.sent(Receipt::accepted()).await;
}

async fn in_the_address(h: &reqwest::Client, base: &str, room: &str, chunks: &[String]) {
    let txn = room.len();
    let url = format!("{base}/_matrix/client/v3/rooms/{room}/send/m.room.message/{txn}");
    for chunk in chunks {
        let _ = h.put(&url).json(chunk).send().await; //~ shared-key
    }
}
async fn in_each_address(h: &reqwest::Client, base: &str, room: &str, items: &[Item]) {
    for item in items {
        let url = format!("{base}/_matrix/client/v3/rooms/{room}/send/m.room.message/{}", item.id);
        let _ = h.put(&url).json(&item.text).send().await;
    }
}
// Each is tried again where the other side did not know the token; the address is the same for all.
async fn in_the_address_and_again(h: &reqwest::Client, base: &str, room: &str, chunks: &[String]) {
    let txn = room.len();
    let url = format!("{base}/_matrix/client/v3/rooms/{room}/send/m.room.message/{txn}");
    for chunk in chunks {
        let body = serde_json::json!({ "body": chunk });
        loop {
            let answer = h.put(&url).json(&body).send().await.unwrap(); //~ shared-key
            if answer.status() != reqwest::StatusCode::UNAUTHORIZED { break }
        }
    }
}
