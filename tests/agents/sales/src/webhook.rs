//! WhatsApp's deliveries: each message is claimed before anything is planned or sent.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;

use crate::agent::Agent;
use crate::answer::answer;
use crate::onlyonce::{Accepted, LedgerError, keys, sources};

pub fn router(agent: Agent) -> Router {
    Router::new()
        .route("/whatsapp", post(receive))
        .route("/health", get(async || StatusCode::OK))
        .with_state(agent)
}

/// A customer's message.
pub struct Message {
    pub id: String,
    pub from: String,
    pub text: String,
}

#[derive(Deserialize)]
struct Status {
    id: String,
    biz_opaque_callback_data: Option<String>,
}

/// A failure makes WhatsApp deliver again; what was claimed by then is a duplicate the next time.
async fn receive(State(agent): State<Agent>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if !is_signed(&agent.app_secret, &headers, &body) {
        return StatusCode::UNAUTHORIZED;
    }
    let Ok(delivery) = serde_json::from_slice(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    match accept(&agent, &delivery).await {
        Ok(()) => StatusCode::OK,
        Err(error) => {
            tracing::error!(%error, "the delivery was not accepted");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

async fn accept(agent: &Agent, delivery: &Value) -> Result<(), LedgerError> {
    for item in items(delivery, "messages") {
        let Some(message) = message(item) else {
            continue;
        };
        let accepted = agent
            .ledger
            .accept_event(sources::WHATSAPP, &message.id, item, sent_at(item))
            .await?;
        if let Accepted::Fresh(claim) | Accepted::Reclaimed(claim) = accepted {
            // WhatsApp does not wait for a model, and a closed connection must not cut an answer short.
            tokio::spawn(answer(agent.clone(), message, claim));
        }
    }
    for item in items(delivery, "statuses") {
        if let Ok(Status {
            id,
            biz_opaque_callback_data: Some(key),
        }) = Status::deserialize(item)
        {
            agent
                .ledger
                .confirm::<keys::SendReply>(&key, &id, "status event from WhatsApp")
                .await?;
        }
    }
    Ok(())
}

/// One delivery can carry many events: `$.entry[*].changes[*].value.<kind>[*]`.
fn items<'a>(delivery: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let each = |value: &'a Value| value.as_array().into_iter().flatten();
    let changes = each(&delivery["entry"]).flat_map(move |entry| each(&entry["changes"]));
    changes.flat_map(move |change| each(&change["value"][kind]))
}

fn message(item: &Value) -> Option<Message> {
    Some(Message {
        id: item["id"].as_str()?.to_owned(),
        from: item["from"].as_str()?.to_owned(),
        text: item["text"]["body"].as_str()?.to_owned(),
    })
}

fn sent_at(item: &Value) -> Option<SystemTime> {
    let seconds = item["timestamp"].as_str()?.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

fn is_signed(secret: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    let signature = headers
        .get("x-hub-signature-256")
        .and_then(|value| value.to_str().ok());
    let Some(signature) =
        signature.and_then(|value| hex::decode(value.strip_prefix("sha256=")?).ok())
    else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(&signature).is_ok()
}
