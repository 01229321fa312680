// Conditional reassignment keeps the verb. SEND
async fn f(http: &reqwest::Client, u: &str, t: Option<String>) {
    let mut req = http.post(u);
    if let Some(t) = t { req = req.bearer_auth(t); }
    let _ = req.send().await; //~ SEND
}
