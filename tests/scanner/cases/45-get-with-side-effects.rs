// GET with side effects: host recipes plus verb words in the last path segment or `action=` query (`send`, `delete`, `set`, `trigger`, `approve`, `unsubscribe`). SEND
async fn f(http: &reqwest::Client, t: &str) {
    let _ = http.get(format!("https://api.telegram.org/bot{t}/sendMessage?chat_id=1&text=hi")).send().await; //~ SEND
    let _ = http.get(format!("https://api.telegram.org/bot{t}/getMe")).send().await; //~ READ
}
