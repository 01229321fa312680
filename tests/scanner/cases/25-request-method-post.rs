// `.request(Method::POST, ..)`. SEND
async fn f(http: &reqwest::Client, u: &str) {
    let _ = http.request(reqwest::Method::POST, u).send().await; //~ SEND
    let _ = http.request(reqwest::Method::HEAD, u).send().await; //~ READ
}
