// Library name differs from package name (async-stripe is `stripe`/`stripe_core`, rust-s3 is `s3`). SEND (charge)
use stripe_core::payment_intent::CreatePaymentIntent;
async fn pay(c: &stripe::Client) {
    let _ = CreatePaymentIntent::new(500, stripe_types::Currency::USD).send(c).await; //~ SEND
}
