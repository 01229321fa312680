// tokio-retry, again, tryhard, retry. SEND + RETRY
async fn f(h: &reqwest::Client) {
    let s = tokio_retry::strategy::FixedInterval::from_millis(10).take(3);
    let _ = tokio_retry::Retry::spawn(s, || h.post("https://x").send()).await; //~ retried-send
    let _ = again::retry(|| h.put("https://x").send()).await; //~ retried-send
}
