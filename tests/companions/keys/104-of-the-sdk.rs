// SDK helper that makes the fresh key for you. KEY
async fn f(c: &stripe::Client, r: stripe_core::payment_intent::CreatePaymentIntent) {
    let _ = r.customize().request_strategy(stripe::RequestStrategy::idempotent_with_uuid()).send(c).await; //~ attempt-derived-key
}
