// Sigil-heavy macros that no Rust parser accepts (tracing `%x`, `?x`; `json!` objects): fall back to a token scan for sink shapes. SEND
async fn f(h: &reqwest::Client) {
    tracing::info!(status = ?h.post("https://x").send().await.map(|r| r.status()), "sent"); //~ SEND
}
