// `const` method: look up the const, across modules. SEND
const M: reqwest::Method = reqwest::Method::PUT;
async fn f(http: &reqwest::Client, u: &str) {
    let _ = http.request(M, u).send().await; //~ SEND
}
