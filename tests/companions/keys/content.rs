// A hash of all that is sent is no key; a hash of what the act is about is one.
use crate::onlyonce::{Ledger, Receipt, keys};
use sha2::{Digest, Sha256};
struct Mail { id: String, to: String, text: String }

async fn by_text(ledger: &Ledger, h: &reqwest::Client, text: String) {
    let hash = hex::encode(Sha256::digest(text.as_bytes())); //~ attempt-derived-key
    let key = keys::SendReply { inbound_message_id: &hash, conversation_step: 1 };
    let _ = ledger.once(&key, text, |text, _| async move { h.post("https://x").body(text).send().await }).await;
}
async fn by_serialised(ledger: &Ledger, h: &reqwest::Client, mail: Mail) {
    let bytes = serde_json::to_vec(&mail).unwrap();
    let hash = format!("{:x}", md5::compute(bytes)); //~ attempt-derived-key
    let key = keys::SendReply { inbound_message_id: &hash, conversation_step: 1 };
    let _ = ledger.once(&key, mail, |mail, _| async move { h.post("https://x").json(&mail).send().await }).await;
}
fn digest(text: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(text);
    hex::encode(hasher.finalize()) //~ attempt-derived-key
}
async fn by_helper(ledger: &Ledger, h: &reqwest::Client, text: String) {
    let hash = digest(&text);
    let key = keys::SendReply { inbound_message_id: &hash, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { h.post("https://x").body(text.clone()).send().await }).await;
}
async fn by_header(h: &reqwest::Client, text: &str, to: &str) {
    let body = serde_json::json!({ "text": text, "to": to });
    let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, format!("{to}{text}").as_bytes()).to_string(); //~ attempt-derived-key
    let _ = h.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", id).json(&body).send().await;
}

async fn right(ledger: &Ledger, h: &reqwest::Client, mail: Mail) {
    let hash = hex::encode(Sha256::digest(mail.id.as_bytes()));
    let key = keys::SendReply { inbound_message_id: &hash, conversation_step: 1 };
    let _ = ledger.once(&key, mail, |mail, _| async move { h.post("https://x").json(&mail).send().await }).await;
}
// Who it goes to is a part of it, not all.
async fn a_part(h: &reqwest::Client, text: &str, to: &str) {
    let body = serde_json::json!({ "text": text, "to": to });
    let id = hex::encode(Sha256::digest(to));
    let _ = h.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", id).json(&body).send().await;
}
// What was looked up by an id is not the id.
async fn looked_up(ledger: &Ledger, h: &reqwest::Client, id: &str) {
    let mail = load(id).await;
    let hash = hex::encode(Sha256::digest(id));
    let key = keys::SendReply { inbound_message_id: &hash, conversation_step: 1 };
    let _ = ledger.once(&key, mail, |mail, _| async move { h.post("https://x").json(&mail).send().await }).await;
}
async fn load(_: &str) -> Mail { todo!() }
