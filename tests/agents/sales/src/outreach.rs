//! One tailored email to each company that might become a customer.

use reqwest::Client;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;

use crate::agent::Agent;
use crate::onlyonce::keys::OutreachEmail;
use crate::onlyonce::{LedgerError, Outcome, Receipt, SendError, Slot};
use crate::provider::read;

const URL: &str = "https://api.resend.com/emails";

#[derive(Clone)]
pub struct Mailer {
    http: Client,
    key: String,
}

/// A company that might become a customer.
#[derive(Deserialize, Serialize, sqlx::FromRow)]
pub struct Prospect {
    pub domain: String,
    pub contact: String,
    pub subject: String,
    pub body: String,
}

#[derive(Deserialize)]
struct Sent {
    id: String,
}

/// Writes to every prospect. Run it as often as you like: a company gets one email.
pub async fn write_to_all(agent: &Agent) -> Result<(), LedgerError> {
    for prospect in prospects(&agent.pool).await? {
        let domain = prospect.domain.clone();
        let key = OutreachEmail {
            company_domain: &domain,
        };
        match agent
            .ledger
            .once(&key, prospect, |prospect, slot| {
                agent.mailer.send(prospect, slot)
            })
            .await?
        {
            Outcome::Sent(_) => tracing::info!(domain, "written to"),
            other => tracing::warn!(domain, ?other, "not written to"),
        }
    }
    Ok(())
}

async fn prospects(pool: &PgPool) -> Result<Vec<Prospect>, sqlx::Error> {
    sqlx::query_as("SELECT domain, contact, subject, body FROM prospects ORDER BY domain")
        .fetch_all(pool)
        .await
}

impl Mailer {
    pub fn new(http: Client, key: String) -> Self {
        Self { http, key }
    }

    async fn send(
        &self,
        prospect: Prospect,
        slot: Slot<OutreachEmail<'_>>,
    ) -> Result<Receipt, SendError> {
        let body = json!({
            "from": "sales@acme.example",
            "to": [prospect.contact],
            "subject": prospect.subject,
            "text": prospect.body,
        });
        let request = self
            .http
            .post(URL)
            .bearer_auth(&self.key)
            .header("Idempotency-Key", slot.provider_key(256)?)
            .json(&body);
        let sent: Sent = read(request.timeout(slot.time_left()).send().await?).await?;
        Ok(Receipt::id(sent.id))
    }
}
