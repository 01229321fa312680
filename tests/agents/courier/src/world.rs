//! What the courier has at hand: a model, a messenger and a database.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use reqwest::{Client, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::onlyonce::SendError;

/// How long a provider is waited for where no budget says so.
const PATIENCE: Duration = Duration::from_millis(500);

/// A customer's message.
#[derive(Deserialize, Serialize)]
pub struct Message {
    pub id: String,
    pub from: String,
    pub text: String,
}

/// A text to a customer.
#[derive(Deserialize, Serialize)]
pub struct Reply {
    pub to: String,
    pub text: String,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct World {
    pub pool: PgPool,
    pub port: u16,
    http: Client,
    provider: String,
    /// Replies go out as mails, where it is there.
    mail: Option<AsyncSmtpTransport<Tokio1Executor>>,
    /// How long it waits before it answers, as a worker that works through a queue does.
    delay: Duration,
    answering: Arc<AtomicUsize>,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Content,
}

#[derive(Deserialize)]
struct Content {
    content: String,
}

#[derive(Deserialize)]
struct Sent {
    messages: Vec<MessageId>,
}

#[derive(Deserialize)]
struct MessageId {
    id: String,
}

impl World {
    pub fn from_env() -> Result<Self, Box<dyn Error>> {
        let pool = PgPoolOptions::new().max_connections(10);
        // A redirect can come after the provider has acted; then a failure to follow it says nothing.
        let http = Client::builder().redirect(reqwest::redirect::Policy::none());
        // Connected to when it is first asked: some modes have no use for it.
        let database = std::env::var("DATABASE_URL");
        let database = database.unwrap_or_else(|_| "postgres://127.0.0.1/none".to_owned());
        Ok(Self {
            pool: pool.connect_lazy(&database)?,
            port: std::env::var("PORT")?.parse()?,
            http: http.build()?,
            provider: std::env::var("PROVIDER_URL")?,
            mail: match std::env::var("SMTP_PORT") {
                Ok(port) => {
                    let relay =
                        AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("127.0.0.1");
                    Some(relay.port(port.parse()?).build())
                }
                Err(_) => None,
            },
            delay: match std::env::var("DELAY_MS") {
                Ok(delay) => Duration::from_millis(delay.parse()?),
                Err(_) => Duration::ZERO,
            },
            answering: Arc::default(),
        })
    }

    /// Drafts the answer to a message; a model words it otherwise each time.
    pub async fn draft(&self, message: &Message, patience: Duration) -> Result<String, SendError> {
        let body = json!({
            "model": "gpt-5-mini",
            "user": message.id,
            "messages": [{ "role": "user", "content": message.text }],
        });
        let url = format!("{}/v1/chat/completions", self.provider);
        let request = self.http.post(url).timeout(patience).json(&body);
        let completion: Completion = read(request.send().await?).await?;
        let choice = completion.choices.into_iter().next();
        choice
            .map(|choice| choice.message.content)
            .ok_or_else(|| SendError::Unknown("the answer holds no text".to_owned()))
    }

    /// Sends a reply and gives the provider's id of it.
    pub async fn send(
        &self,
        reply: &Reply,
        key: &str,
        patience: Duration,
    ) -> Result<String, SendError> {
        if let Some(relay) = &self.mail {
            let sent = tokio::time::timeout(patience, mail(relay, reply, key)).await;
            return sent.map_err(|_| SendError::Unknown("no answer in time".to_owned()))?;
        }
        let body = json!({
            "messaging_product": "whatsapp",
            "to": reply.to,
            "type": "text",
            "text": { "body": reply.text },
            "biz_opaque_callback_data": key,
        });
        let url = format!("{}/v23.0/1/messages", self.provider);
        let request = self.http.post(url).timeout(patience).json(&body);
        let sent: Sent = read(request.header("idempotency-key", key).send().await?).await?;
        let first = sent.messages.into_iter().next();
        first
            .map(|message| message.id)
            .ok_or_else(|| SendError::Unknown("the answer names no message".to_owned()))
    }

    /// Drafts and sends as a worker without a guard does.
    pub async fn reply(&self, message: &Message, key: &str) -> Result<(), SendError> {
        let text = self.draft(message, PATIENCE).await?;
        self.send_text(message, text, key).await
    }

    pub async fn send_text(
        &self,
        message: &Message,
        text: String,
        key: &str,
    ) -> Result<(), SendError> {
        let to = message.from.clone();
        self.send(&Reply { to, text }, key, PATIENCE)
            .await
            .map(drop)
    }

    pub async fn text(&self, message: &Message) -> Result<String, SendError> {
        self.draft(message, PATIENCE).await
    }

    pub async fn takes_its_time(&self) {
        tokio::time::sleep(self.delay).await;
    }

    /// Counts an answer that goes on after its delivery was taken.
    pub fn begin(&self) -> Answering {
        self.answering.fetch_add(1, Ordering::SeqCst);
        Answering(Arc::clone(&self.answering))
    }

    /// Waits until no answer goes on, as a worker does before it ends.
    pub async fn at_rest(&self) {
        while self.answering.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// An answer that goes on.
pub struct Answering(Arc<AtomicUsize>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Gives the relay's id of a mail that it takes: `250 ok msg-1`, as relays commonly say it.
async fn mail(
    relay: &AsyncSmtpTransport<Tokio1Executor>,
    reply: &Reply,
    key: &str,
) -> Result<String, SendError> {
    let key = HeaderValue::new(HeaderName::new_from_ascii_str("X-Key"), key.to_owned());
    let mail = lettre::Message::builder()
        .from("courier@courier.example".parse()?)
        .to(format!("{}@customers.example", reply.to).parse()?)
        .subject("Your message")
        .raw_header(key)
        .body(reply.text.clone())?;
    let taken = relay.send(mail).await?;
    let id = taken
        .message()
        .next()
        .and_then(|line| line.split_whitespace().last());
    Ok(id.unwrap_or_default().to_owned())
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, SendError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response.json().await?);
    }
    let detail: Value = response.json().await.unwrap_or_default();
    Err(SendError::from_status(
        status.as_u16(),
        format!("{status}: {detail}"),
    ))
}
