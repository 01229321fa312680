// Method is a parameter: report at callers that pass a write; callers that pass GET are READ; no caller visible (pub fn) SEND with note "method is a parameter"
async fn call(http: &reqwest::Client, m: reqwest::Method, u: &str) { let _ = http.request(m, u).send().await; } //~ SEND
async fn a(http: &reqwest::Client) { call(http, reqwest::Method::GET, "https://x").await }
async fn b(http: &reqwest::Client) { call(http, reqwest::Method::DELETE, "https://x").await }
