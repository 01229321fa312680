//~ depends reqwest
// A service that keeps chats has paths and functions named after them; only some ask a model.
async fn create_chat_context_of_ai(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/chat/context/text")).send().await; //~ mutate
}

async fn update_ai_chat_settings(http: &reqwest::Client, base: &str, id: &str) {
    let _ = http.post(format!("{base}/api/chat/{id}/settings")).send().await; //~ mutate
}

async fn delete_ai_prompt(http: &reqwest::Client, base: &str, id: &str) {
    let _ = http.post(format!("{base}/prompts/{id}/delete")).send().await; //~ mutate
}

async fn create_ai_chat(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/v2/talk")).send().await; //~ model
}

async fn stream_ai_answer(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/answers")).send().await; //~ model
}

async fn kept_elsewhere(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/api/chat")).send().await; //~ model
    let _ = http.post(format!("{base}/api/chat/42")).send().await; //~ mutate
}
