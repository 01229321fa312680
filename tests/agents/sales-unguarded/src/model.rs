//! The model that plans what to say.

use reqwest::Client;
use serde::Deserialize;
use serde_json::json;

#[derive(Clone)]
pub struct Model {
    http: Client,
    key: String,
}

/// What the model wants said and done.
#[derive(Deserialize)]
pub struct Draft {
    pub text: String,
    pub places_order: bool,
    pub cancels_order: bool,
}

impl Model {
    pub fn new(http: Client, key: String) -> Self {
        Self { http, key }
    }

    /// A repeat plans anew, and may plan something else.
    pub async fn draft(&self, text: &str) -> Result<Draft, reqwest::Error> {
        let body = json!({ "model": "gpt-5", "input": text });
        let request = self
            .http
            .post("https://api.openai.com/v1/responses")
            .bearer_auth(&self.key);
        request.json(&body).send().await?.json().await //~ unguarded-model-call
    }
}
