//! The sales agent before it had a ledger: every way in which it can act twice is marked.

mod model;
mod outreach;
mod payments;
mod webhook;
mod whatsapp;

use tokio::net::TcpListener;

use crate::model::Model;
use crate::payments::Payments;
use crate::whatsapp::WhatsApp;

/// The world outside. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub model: Model,
    pub payments: Payments,
    pub whatsapp: WhatsApp,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("outreach") {
        outreach::write_to_all()?;
        return Ok(());
    }
    let http = reqwest::Client::new();
    let agent = Agent {
        model: Model::new(http.clone(), std::env::var("MODEL_KEY")?),
        payments: Payments::new(http.clone(), std::env::var("STRIPE_KEY")?),
        whatsapp: WhatsApp::new(http, std::env::var("WHATSAPP_TOKEN")?),
    };
    let listener = TcpListener::bind("0.0.0.0:8080").await?;
    axum::serve(listener, webhook::router(agent)).await?;
    Ok(())
}
