// Attribute macros that add retries. SEND + RETRY (catalog of attribute names; the name here is made up)
#[some_retry_macro(times = 3)]
async fn f(http: &reqwest::Client) -> reqwest::Result<()> {
    http.post("https://x").send().await.map(drop) //~ retried-send
}
