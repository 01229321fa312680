//! WhatsApp Cloud API.

use reqwest::Client;
use serde_json::json;

const URL: &str = "https://graph.facebook.com/v23.0/1/messages";

#[derive(Clone)]
pub struct WhatsApp {
    http: Client,
    token: String,
}

impl WhatsApp {
    pub fn new(http: Client, token: String) -> Self {
        Self { http, token }
    }

    /// Nothing stops a second one, and a lost answer makes one.
    pub async fn send(&self, to: &str, text: &str) -> Result<(), reqwest::Error> {
        let body = json!({ "messaging_product": "whatsapp", "to": to, "text": { "body": text } });
        let mut attempt = 0;
        loop {
            let request = self.http.post(URL).bearer_auth(&self.token).json(&body);
            match request.send().await {
                //~^ unguarded-send, retried-send
                Ok(_) => return Ok(()),
                Err(_) if attempt < 3 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// An exception without a reason is none.
    pub async fn read(&self, message: &str) -> Result<(), reqwest::Error> {
        let body =
            json!({ "messaging_product": "whatsapp", "status": "read", "message_id": message });
        let request = self.http.post(URL).bearer_auth(&self.token).json(&body);
        // onlyonce: allow(unguarded-send) //~ reasonless-allow
        request.send().await?; //~ unguarded-send
        Ok(())
    }

    /// An exception whose time is over is none either.
    pub async fn typing(&self, to: &str) -> Result<(), reqwest::Error> {
        let body = json!({ "messaging_product": "whatsapp", "to": to, "type": "typing" });
        let request = self.http.post(URL).bearer_auth(&self.token).json(&body);
        // onlyonce: allow(unguarded-send, reason = "only shows", until = "2025-12-31") //~ expired-allow
        let sent = request.send().await; //~ unguarded-send, timeout-as-failure
        if let Err(error) = sent {
            mark_failed(to, &error);
        }
        Ok(())
    }
}

/// A lost answer counts as a message that was not sent.
fn mark_failed(to: &str, error: &reqwest::Error) {
    println!("not sent to {to}: {error}");
}
