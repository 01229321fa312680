//! Webhooks in axum, in both modes that an inbound source can have: an extractor that claims a delivery before its
//! handler runs, and a handler that accepts one in the transaction of its effect. To be copied.

#![allow(unreachable_pub, reason = "the other modules of this test program use it")]

use axum::extract::{FromRequest, Json, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::post};
use serde_json::Value;

use super::Pool;
use super::client::{Accepted, Claim, Ledger, LedgerError, keys, sources};
use super::world::Provider;

#[derive(Clone)]
pub struct App {
    pub ledger: Ledger,
    pub pool: Pool,
    pub provider: Provider,
}

pub fn router(app: App) -> Router {
    Router::new().route("/hook", post(answer)).route("/shop", post(order)).with_state(app)
}

/// A delivery of `hook` that is ours to handle: no other worker has it, and it was never finished.
struct Delivery {
    event: Value,
    claim: Claim,
}

impl FromRequest<App> for Delivery {
    type Rejection = Refused;

    async fn from_request(request: Request, app: &App) -> Result<Delivery, Refused> {
        let event = read(request, app).await?;
        match app.ledger.accept_event(sources::HOOK, id(&event)?, &event, None).await? {
            Accepted::Fresh(claim) | Accepted::Reclaimed(claim) => Ok(Delivery { event, claim }),
            Accepted::InProgress => Err(Refused::Busy),
            Accepted::Duplicate | Accepted::Conflict | Accepted::Stale => Err(Refused::Seen),
        }
    }
}

/// Claim mode: the claim was committed before this runs. A handler that dies leaves it, and a delivery that comes after
/// the source's `claim_timeout` is handled anew; what was sent by then is not sent again, by its own key.
async fn answer(State(app): State<App>, Delivery { event, claim }: Delivery) -> Result<StatusCode, Refused> {
    let key = keys::Reply { message: id(&event)? };
    let send = |text: String, _| async { Ok(app.provider.take(text)) };
    let _ = app.ledger.once(&key, event["text"].to_string(), send).await?;
    claim.finish().await?;
    Ok(StatusCode::OK)
}

/// Transaction mode: the event counts as accepted when the job that it leads to is committed. Nothing is sent in here.
async fn order(State(app): State<App>, request: Request) -> Result<StatusCode, Refused> {
    let event = read(request, &app).await?;
    let mut transaction = app.pool.begin().await?;
    let accepted = app.ledger.accept_event_in(&mut transaction, sources::SHOP, id(&event)?, &event, None).await?;
    if let Accepted::Fresh(claim) = accepted {
        sqlx::query("INSERT INTO jobs (work) VALUES ($1)").bind(&event).execute(&mut *transaction).await?;
        transaction.commit().await?;
        claim.finish().await?;
    }
    Ok(StatusCode::OK)
}

/// The event, after its signature was checked: here is the place for that.
async fn read(request: Request, app: &App) -> Result<Value, Refused> {
    Json::from_request(request, app).await.map(|Json(event)| event).map_err(|_| Refused::Unreadable)
}

fn id(event: &Value) -> Result<&str, Refused> {
    event["id"].as_str().ok_or(Refused::Unreadable)
}

/// Why a delivery is not handled.
enum Refused {
    /// It was handled before, or is too old for anybody to tell.
    Seen,
    /// Another worker has it.
    Busy,
    /// It is no event.
    Unreadable,
    /// Nobody knows whether it was seen.
    Failed,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self {
            // It need not come again.
            Refused::Seen => StatusCode::OK,
            // Whoever has it may yet die, and the database may be back: let it come again.
            Refused::Busy | Refused::Failed => StatusCode::SERVICE_UNAVAILABLE,
            Refused::Unreadable => StatusCode::BAD_REQUEST,
        };
        status.into_response()
    }
}

impl From<LedgerError> for Refused {
    fn from(_: LedgerError) -> Refused {
        Refused::Failed
    }
}

impl From<sqlx::Error> for Refused {
    fn from(_: sqlx::Error) -> Refused {
        Refused::Failed
    }
}
