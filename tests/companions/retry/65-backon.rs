// backon: a method on a closure, or on a fn path. SEND + RETRY
async fn send_it() -> reqwest::Result<()> { reqwest::Client::new().post("https://x").send().await.map(drop) } //~ retried-send
async fn f() {
    use backon::Retryable;
    let _ = send_it.retry(backon::ExponentialBuilder::default()).await;
}
