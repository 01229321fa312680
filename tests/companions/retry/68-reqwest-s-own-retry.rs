// reqwest's own retry: the policy repeats what its classifier lets through. Nothing is seen to go through the first.
fn client() -> reqwest::Client {
    let p = reqwest::retry::for_host("x").max_retries_per_request(2)
        .classify_fn(|r| if r.status().map_or(true, |s| s.is_server_error()) { r.retryable() } else { r.success() });
    reqwest::Client::builder().retry(p).build().unwrap() //~ retried-send
}

fn used() -> reqwest::Client {
    let p = reqwest::retry::for_host("y").classify_fn(|r| if r.status().is_some() { r.retryable() } else { r.success() });
    reqwest::Client::builder().retry(p).build().unwrap()
}
async fn f(u: &str) {
    let _ = used().post(u).send().await; //~ retried-send
}

// Only reads are let through.
fn reads() -> reqwest::Client {
    let p = reqwest::retry::for_host("z")
        .classify_fn(|r| if r.method() == reqwest::Method::GET { r.retryable() } else { r.success() });
    reqwest::Client::builder().retry(p).build().unwrap()
}
async fn g(u: &str) { let _ = reads().post(u).send().await; }

// Without a classifier only what the protocol turned down is repeated.
fn plain() -> reqwest::Client {
    reqwest::Client::builder().retry(reqwest::retry::for_host("w")).build().unwrap()
}
async fn h(u: &str) { let _ = plain().post(u).send().await; }
