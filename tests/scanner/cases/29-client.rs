// `Client::execute(request)`. SEND
async fn f(http: &reqwest::Client, u: reqwest::Url) {
    let mut r = reqwest::Request::new(reqwest::Method::POST, u);
    *r.timeout_mut() = None;
    let _ = http.execute(r).await; //~ SEND
}
