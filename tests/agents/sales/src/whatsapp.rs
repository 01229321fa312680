//! WhatsApp Cloud API.

use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::onlyonce::keys::SendReply;
use crate::onlyonce::{Receipt, SendError, Slot};
use crate::provider::read;

#[derive(Clone)]
pub struct WhatsApp {
    http: Client,
    url: String,
    token: String,
}

/// A text to a customer.
#[derive(Deserialize, Serialize)]
pub struct Reply {
    pub to: String,
    pub text: String,
}

#[derive(Deserialize)]
struct Answer {
    messages: Vec<Sent>,
}

#[derive(Deserialize)]
struct Sent {
    id: String,
}

impl WhatsApp {
    pub fn new(http: Client, base: &str, phone_number_id: &str, token: String) -> Self {
        let url = format!("{base}/v23.0/{phone_number_id}/messages");
        Self { http, url, token }
    }

    /// WhatsApp takes no key of ours, but its status events repeat the callback data: so a message whose
    /// answer was lost is found again.
    pub async fn send(
        &self,
        reply: Reply,
        slot: Slot<SendReply<'_>>,
    ) -> Result<Receipt, SendError> {
        let body = json!({
            "messaging_product": "whatsapp",
            "to": reply.to,
            "type": "text",
            "text": { "body": reply.text },
            "biz_opaque_callback_data": slot.key().as_str(),
        });
        let request = self
            .http
            .post(&self.url)
            .bearer_auth(&self.token)
            .json(&body);
        let answer: Answer = read(request.timeout(slot.time_left()).send().await?).await?;
        match answer.messages.into_iter().next() {
            Some(sent) => Ok(Receipt::id(sent.id)),
            None => Err(SendError::Unknown("the answer names no message".to_owned())),
        }
    }
}
