//! WhatsApp's deliveries, answered as often as they come.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;
use uuid::Uuid;

use crate::Agent;

pub fn router(agent: Agent) -> Router {
    Router::new()
        .route("/whatsapp", post(receive))
        .with_state(agent)
}

async fn receive(State(agent): State<Agent>, Json(delivery): Json<Value>) -> StatusCode {
    let message = &delivery["entry"][0]["changes"][0]["value"]["messages"][0];
    match answer(&agent, message).await {
        //~^ model-before-dedupe
        Ok(()) => StatusCode::OK,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn answer(agent: &Agent, message: &Value) -> Result<(), reqwest::Error> {
    let customer = message["from"].as_str().unwrap_or_default();
    let text = message["text"]["body"].as_str().unwrap_or_default();
    let draft = agent.model.draft(text).await?;
    if draft.places_order {
        agent.payments.charge(Uuid::nil(), 4_200).await?;
        agent.payments.book("SO-1", 4_200).await?;
        agent.payments.loyalty(customer, 42).await?;
    }
    if draft.cancels_order {
        agent.payments.refund(&draft.text).await?;
    }
    agent.whatsapp.read(customer).await?;
    agent.whatsapp.typing(customer).await?;
    agent.whatsapp.send(customer, &draft.text).await
}
