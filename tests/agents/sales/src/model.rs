//! The model that plans what to say.

use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::onlyonce::keys::DraftReply;
use crate::onlyonce::{Receipt, SendError, Slot};
use crate::provider::read;

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
    pub fn new(http: Client, url: String, key: String) -> Self {
        Self { http, url, key }
    }

    /// Drafts the reply to a customer's text. The draft is the receipt, so that the ledger keeps it.
    pub async fn draft(
        &self,
        text: String,
        slot: Slot<DraftReply<'_>>,
    ) -> Result<Receipt, SendError> {
        let body = json!({ "task": "Draft a reply; say whether the customer places an order.", "text": text });
        let request = self.http.post(&self.url).bearer_auth(&self.key).json(&body);
        let draft: Value = read(request.timeout(slot.time_left()).send().await?).await?;
        Ok(Receipt::result(draft))
    }
}
