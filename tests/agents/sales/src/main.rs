//! A sales agent: it answers customers on WhatsApp, takes their orders, and writes to companies that might
//! become customers. Whatever it does to the world goes through the ledger, once per key.

mod agent;
mod answer;
mod model;
mod onlyonce;
mod outreach;
mod payments;
mod provider;
mod webhook;
mod whatsapp;

use std::error::Error;

use sqlx::postgres::PgPoolOptions;
use tokio::net::TcpListener;

use crate::agent::Agent;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let pool = PgPoolOptions::new()
        .connect(&std::env::var("DATABASE_URL")?)
        .await?;
    let agent = Agent::from_env(pool)?;
    if std::env::args().nth(1).as_deref() == Some("outreach") {
        outreach::write_to_all(&agent).await?;
        return Ok(());
    }
    let address = std::env::var("LISTEN").unwrap_or_else(|_| "0.0.0.0:8080".to_owned());
    let listener = TcpListener::bind(address).await?;
    axum::serve(listener, webhook::router(agent)).await?;
    Ok(())
}
