//! Orders and their payment, each with a key that is wrong in another way.

use reqwest::Client;
use serde_json::json;
use uuid::Uuid;

#[derive(Clone)]
pub struct Payments {
    http: Client,
    key: String,
}

/// # Idempotency key
/// Action: charge_order
/// - cart_id: the cart that is paid for
fn charge_key(cart_id: Uuid) -> String {
    format!("charge-{cart_id}")
}

/// # Idempotency key
/// Action: refund_order
/// - payment: the payment that is given back
fn refund_key(payment: &str) -> String {
    //~^ undeclared-action
    format!("refund-{payment}")
}

fn booking_key(order: &str) -> String {
    format!("booking-{order}")
}

impl Payments {
    pub fn new(http: Client, key: String) -> Self {
        Self { http, key }
    }

    /// The provider drops a repeat, but nobody here remembers that there was one.
    pub async fn charge(&self, cart_id: Uuid, cents: i64) -> Result<(), reqwest::Error> {
        let request = self
            .http
            .post("https://api.stripe.com/v1/payment_intents")
            .bearer_auth(&self.key)
            .header("Idempotency-Key", charge_key(cart_id))
            .form(&[("amount", cents)]);
        request.send().await?; //~ unreserved-send
        Ok(())
    }

    /// No manifest says what makes two refunds the same, and the model names the payment.
    pub async fn refund(&self, payment: &str) -> Result<(), reqwest::Error> {
        let request = self
            .http
            .post("https://api.stripe.com/v1/refunds")
            .bearer_auth(&self.key)
            .header("Idempotency-Key", refund_key(payment)) //~ model-derived-key
            .form(&[("payment_intent", payment)]);
        request.send().await?; //~ unreserved-send
        Ok(())
    }

    /// Nobody can tell what this key is made of, and both halves go under it.
    pub async fn book(&self, order: &str, cents: i64) -> Result<(), reqwest::Error> {
        for share in [cents / 2, cents - cents / 2] {
            let request = self
                .http
                .post("https://api.stripe.com/v1/invoices")
                .bearer_auth(&self.key)
                .header("Idempotency-Key", booking_key(order)) //~ undocumented-key, shared-key
                .form(&[("amount", share)]);
            request.send().await?;
        }
        Ok(())
    }

    /// Every attempt has a key of its own, so that no attempt is ever a repeat.
    pub async fn loyalty(&self, customer: &str, points: i64) -> Result<(), reqwest::Error> {
        let request = self
            .http
            .post("https://api.stripe.com/v1/customers")
            .bearer_auth(&self.key)
            .header("Idempotency-Key", Uuid::new_v4().to_string()) //~ attempt-derived-key
            .json(&json!({ "customer": customer, "points": points }));
        request.send().await?;
        Ok(())
    }
}
