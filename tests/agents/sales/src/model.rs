//! The model that plans what to say.

use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::onlyonce::keys::DraftReply;
use crate::onlyonce::{Receipt, SendError, Slot};
use crate::provider::read;

const INSTRUCTIONS: &str = "Answer the customer. Reply with a JSON object: `text`, and `places_order` \
    (true when the customer orders what is in the cart).";

#[derive(Clone)]
pub struct Model {
    http: Client,
    url: String,
    key: String,
}

/// What the model wants said and done.
#[derive(Deserialize, Serialize)]
pub struct Draft {
    pub text: String,
    pub places_order: bool,
}

impl Model {
    pub fn new(http: Client, base: &str, key: String) -> Self {
        let url = format!("{base}/v1/chat/completions");
        Self { http, url, key }
    }

    /// Drafts the reply to a customer's text. The draft is the receipt, so that the ledger keeps it.
    pub async fn draft(
        &self,
        text: String,
        slot: Slot<DraftReply<'_>>,
    ) -> Result<Receipt, SendError> {
        let body = json!({
            "model": "gpt-5-mini",
            "response_format": { "type": "json_object" },
            "messages": [
                { "role": "system", "content": INSTRUCTIONS },
                { "role": "user", "content": text },
            ],
        });
        let request = self.http.post(&self.url).bearer_auth(&self.key).json(&body);
        let answer: Value = read(request.timeout(slot.time_left()).send().await?).await?;
        let content = answer["choices"][0]["message"]["content"].as_str();
        match serde_json::from_str::<Draft>(content.unwrap_or_default()) {
            Ok(draft) => Ok(Receipt::result(json!(draft))),
            Err(error) => Err(SendError::Unknown(format!(
                "the answer is no draft: {error}"
            ))),
        }
    }
}
