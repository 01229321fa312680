// PUT/DELETE with a caller-chosen id: repeatable by protocol. SEND, class "natural": lower level, may be allowed by policy with a reason
async fn f(http: &reqwest::Client, id: &str) {
    let _ = http.put(format!("https://x/records/{id}")).json(&1).send().await; //~ SEND
}
