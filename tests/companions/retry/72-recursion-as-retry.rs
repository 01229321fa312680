// Recursion as retry. SEND + RETRY
async fn f(h: &reqwest::Client, n: u8) {
    if h.post("https://x").send().await.is_err() && n > 0 { Box::pin(f(h, n - 1)).await } //~ retried-send
}
