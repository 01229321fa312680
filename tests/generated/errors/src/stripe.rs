use stripe::{ApiErrors, StripeError};

use crate::certain;

fn told(status: u16, kind: &str) -> StripeError {
    let text = format!("{{\"type\": \"{kind}\", \"message\": \"why\"}}");
    let told: ApiErrors = miniserde::json::from_str(&text).unwrap();
    StripeError::Stripe(Box::new(told), status)
}

#[test]
fn what_stripe_answers() {
    for (status, kind, expected) in [
        (400, "invalid_request_error", "rejected"),
        (402, "card_error", "rejected"),
        (404, "invalid_request_error", "rejected"),
        (422, "invalid_request_error", "rejected"),
        (401, "invalid_request_error", "not attempted"),
        (403, "invalid_request_error", "not attempted"),
        (400, "idempotency_error", "unknown"),
        (408, "api_error", "unknown"),
        (409, "invalid_request_error", "unknown"),
        (429, "invalid_request_error", "unknown"),
        (500, "api_error", "unknown"),
    ] {
        assert_eq!(certain(told(status, kind)), expected, "{status} {kind}");
    }
}

#[test]
fn what_came_without_an_answer() {
    assert_eq!(certain(StripeError::ConfigError("no key".to_owned())), "not attempted");
    assert_eq!(certain(StripeError::ClientError("reset".to_owned())), "unknown");
    assert_eq!(certain(StripeError::JSONDeserialize("not JSON".to_owned())), "unknown");
    assert_eq!(certain(StripeError::Timeout), "unknown");
}
