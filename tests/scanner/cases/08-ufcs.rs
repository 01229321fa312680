// UFCS. SEND
async fn f(c: &reqwest::Client, u: &str) {
    let b = reqwest::Client::post(c, u);
    let _ = reqwest::RequestBuilder::send(b).await; //~ SEND
}
