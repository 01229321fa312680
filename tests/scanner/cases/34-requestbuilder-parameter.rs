// `RequestBuilder` parameter, sent in the helper: summary "sends arg 0". Report at each caller, never at the helper. SEND at `a`, READ at `b`
async fn exec(req: reqwest::RequestBuilder) -> reqwest::Result<()> { req.send().await.map(drop) } //~ SEND
async fn a(h: &reqwest::Client) { let _ = exec(h.post("https://x")).await; }
async fn b(h: &reqwest::Client) { let _ = exec(h.get("https://x")).await; }
