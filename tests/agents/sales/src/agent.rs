//! What the agent has at hand.

use std::env::{self, VarError};

use sqlx::PgPool;

use crate::model::Model;
use crate::onlyonce::Ledger;
use crate::outreach::Mailer;
use crate::payments::Payments;
use crate::whatsapp::WhatsApp;

/// The ledger, the database it lives in, and the world outside. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub pool: PgPool,
    pub ledger: Ledger,
    pub mailer: Mailer,
    pub model: Model,
    pub payments: Payments,
    pub whatsapp: WhatsApp,
    pub app_secret: String,
}

impl Agent {
    /// An agent whose services and secrets are named by the environment.
    pub fn from_env(pool: PgPool) -> Result<Self, Box<dyn std::error::Error>> {
        // A redirect can come after the provider has acted; then a failure to follow it says nothing.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            ledger: Ledger::new(pool.clone()),
            pool,
            mailer: Mailer::new(http.clone(), setting("RESEND_KEY")?),
            model: Model::new(
                http.clone(),
                &setting_or("OPENAI_URL", "https://api.openai.com"),
                setting("OPENAI_KEY")?,
            ),
            payments: Payments::new(http.clone(), setting("STRIPE_KEY")?),
            whatsapp: WhatsApp::new(
                http,
                &setting_or("WHATSAPP_URL", "https://graph.facebook.com"),
                &setting("WHATSAPP_PHONE_NUMBER_ID")?,
                setting("WHATSAPP_TOKEN")?,
            ),
            app_secret: setting("WHATSAPP_APP_SECRET")?,
        })
    }
}

/// Where a service is; a test names another place.
fn setting_or(name: &str, usual: &str) -> String {
    env::var(name).unwrap_or_else(|_| usual.to_owned())
}

fn setting(name: &str) -> Result<String, VarError> {
    env::var(name)
}
