// Retry middleware set where the client is built, sends elsewhere. RETRY belongs to the client value/type. SEND + RETRY
fn client() -> reqwest_middleware::ClientWithMiddleware {
    let p = reqwest_retry::policies::ExponentialBackoff::builder().build_with_max_retries(3);
    reqwest_middleware::ClientBuilder::new(reqwest::Client::new())
        .with(reqwest_retry::RetryTransientMiddleware::new_with_policy(p)).build()
}
async fn f(c: &reqwest_middleware::ClientWithMiddleware) { let _ = c.post("https://x").send().await; } //~ retried-send
