//! A courier: it answers each customer's message. By `MODE` it does so through the ledger, or in one of the ways in
//! which workers get it wrong; `onlyonce chaos run` tells them apart.

mod correct;
mod onlyonce;
mod world;
mod wrong;

use std::error::Error;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::world::{Message, World};
use crate::wrong::Mode;

#[derive(Clone)]
struct Courier {
    world: World,
    /// How it goes wrong, when it does.
    wrong: Option<Arc<Mode>>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let world = World::from_env()?;
    let mode = std::env::var("MODE").unwrap_or_else(|_| "correct".to_owned());
    let wrong = match mode.as_str() {
        "correct" => None,
        mode => Some(Arc::new(Mode::named(mode, &world)?)),
    };
    let courier = Courier {
        world: world.clone(),
        wrong,
    };
    let routes = Router::new()
        .route("/messages", post(receive))
        .route("/health", get(|| async { StatusCode::OK }))
        .with_state(courier);
    let listener = TcpListener::bind(("127.0.0.1", world.port)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let ended = async move {
        terminate.recv().await;
    };
    axum::serve(listener, routes)
        .with_graceful_shutdown(ended)
        .await?;
    world.at_rest().await;
    Ok(())
}

/// A failure makes the platform deliver again.
async fn receive(State(courier): State<Courier>, body: Bytes) -> Result<Json<Value>, StatusCode> {
    let Ok(message) = serde_json::from_slice::<Message>(&body) else {
        return Err(StatusCode::BAD_REQUEST);
    };
    let done = match &courier.wrong {
        None => correct::receive(&courier.world, message)
            .await
            .map_err(Into::into),
        Some(mode) => mode.receive(&courier.world, message).await,
    };
    match done {
        Ok(()) => Ok(Json(Value::Null)),
        Err(error) => {
            eprintln!("not taken: {error}");
            Err(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}
