// reqwest's own retry, tower layers. RETRY if the classifier can pass a POST
fn client() -> reqwest::Client {
    let p = reqwest::retry::for_host("x").max_retries_per_request(2)
        .classify_fn(|r| if r.status().map_or(true, |s| s.is_server_error()) { r.retryable() } else { r.success() });
    reqwest::Client::builder().retry(p).build().unwrap()
}
