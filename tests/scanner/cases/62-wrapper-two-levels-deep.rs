// Wrapper two levels deep. Report at the innermost call inside this workspace that sends, list the callers. SEND once
async fn low(h: &reqwest::Client, u: &str) { let _ = h.post(u).send().await; } //~ SEND
async fn mid(h: &reqwest::Client) { low(h, "https://x").await }
async fn top(h: &reqwest::Client) { mid(h).await }
