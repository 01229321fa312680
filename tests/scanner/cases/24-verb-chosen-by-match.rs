// Verb chosen by `match`: join of the branches; any write branch makes it a write (zeroclaw `webhook.rs`). SEND
async fn f(http: &reqwest::Client, u: &str, m: &str) {
    let req = match m { "PUT" => http.put(u), "GET" => http.get(u), _ => http.post(u) };
    let _ = req.send().await; //~ SEND
}
