//! Orders and their payment through Stripe.

use reqwest::Client;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use uuid::Uuid;

use crate::onlyonce::keys::ChargeOrder;
use crate::onlyonce::{Receipt, SendError, Slot};
use crate::provider::read;

const URL: &str = "https://api.stripe.com/v1/payment_intents";

#[derive(Clone)]
pub struct Payments {
    http: Client,
    key: String,
}

/// A cart that is to be paid.
#[derive(Deserialize, Serialize)]
pub struct Order {
    pub cart_id: Uuid,
    pub stripe_customer: String,
    pub amount_cents: i64,
}

#[derive(Deserialize)]
struct PaymentIntent {
    id: String,
}

impl Order {
    /// The customer's open cart, if there is one.
    pub async fn of(pool: &PgPool, phone: &str) -> Result<Option<Self>, sqlx::Error> {
        let query = "SELECT id, stripe_customer, amount_cents FROM carts WHERE phone = $1 AND closed_at IS NULL";
        let cart: Option<(Uuid, String, i64)> = sqlx::query_as(query)
            .bind(phone)
            .fetch_optional(pool)
            .await?;
        Ok(cart.map(|(cart_id, stripe_customer, amount_cents)| Self {
            cart_id,
            stripe_customer,
            amount_cents,
        }))
    }
}

impl Payments {
    pub fn new(http: Client, key: String) -> Self {
        Self { http, key }
    }

    /// Stripe takes our key: a second request under it gives the first one's answer.
    pub async fn charge(
        &self,
        order: Order,
        slot: Slot<ChargeOrder>,
    ) -> Result<Receipt, SendError> {
        let form = [
            ("amount", order.amount_cents.to_string()),
            ("currency", "eur".to_owned()),
            ("customer", order.stripe_customer),
            ("confirm", "true".to_owned()),
        ];
        let request = self
            .http
            .post(URL)
            .bearer_auth(&self.key)
            .header("Idempotency-Key", slot.provider_key(255)?)
            .form(&form);
        let payment: PaymentIntent = read(request.timeout(slot.time_left()).send().await?).await?;
        Ok(Receipt::id(payment.id))
    }
}
