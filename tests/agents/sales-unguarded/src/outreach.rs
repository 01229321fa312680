//! Emails to companies that might become customers.

use reqwest::{Client, Method};
use serde_json::json;

#[derive(Clone)]
pub struct Mailer {
    http: Client,
    key: String,
}

impl Mailer {
    pub fn new(http: Client, key: String) -> Self {
        Self { http, key }
    }

    /// Whether this reads or sends is the caller's business, and the caller reads it from a file.
    async fn call(&self, method: Method, path: &str) -> Result<(), reqwest::Error> {
        let url = format!("https://api.resend.com/{path}");
        let body = json!({ "from": "sales@acme.example" });
        self.http
            .request(method, url)
            .bearer_auth(&self.key)
            .json(&body)
            .send()
            .await?;
        Ok(())
    }
}

/// Does what the plan file says, a line each: `POST emails`.
pub async fn write_to_all(mailer: &Mailer) -> Result<(), Box<dyn std::error::Error>> {
    for line in std::fs::read_to_string("plan.txt")?.lines() {
        let Some((method, path)) = line.split_once(' ') else {
            continue;
        };
        mailer.call(method.parse()?, path).await?; //~ unguarded-send
    }
    // onlyonce: allow(unguarded-send, reason = "the plan is empty in tests") //~ unused-allow
    Ok(())
}
