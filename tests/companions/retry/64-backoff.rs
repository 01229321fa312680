// backoff. SEND + RETRY
async fn f(h: &reqwest::Client) {
    let _ = backoff::future::retry(backoff::ExponentialBackoff::default(), || async {
        Ok::<_, backoff::Error<reqwest::Error>>(h.post("https://x").send().await?) //~ retried-send
    }).await;
}
