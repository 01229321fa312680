// Dropping the platform's repeats by header instead of de-duplicating loses events.
async fn hook(h: http::HeaderMap, llm: Llm, e: Event) {
    if h.contains_key("X-Slack-Retry-Num") { return }
    llm.prompt(&e.text).await; //~ model-before-dedupe
}
