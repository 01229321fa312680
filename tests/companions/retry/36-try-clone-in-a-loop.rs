// `try_clone` in a loop. SEND + RETRY
async fn f(b: reqwest::RequestBuilder) {
    for _ in 0..3 { if let Some(c) = b.try_clone() { if c.send().await.is_ok() { break } } } //~ retried-send
}
