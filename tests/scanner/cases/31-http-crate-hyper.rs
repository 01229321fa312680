// http crate + hyper; missing `.method()` means GET. SEND, READ
async fn f(c: hyper_util::client::legacy::Client<C, B>, b: B, e: B) {
    let w = http::Request::post("https://x").body(b).unwrap();
    let r = http::Request::builder().uri("https://x").body(e).unwrap();
    let _ = (c.request(w).await, c.request(r).await); //~ SEND, READ
}
