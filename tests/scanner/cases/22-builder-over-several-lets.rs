// Builder over several lets. SEND
async fn f(http: &reqwest::Client, u: &str) {
    let req = http.post(u);
    let req = req.header("x", "1");
    let _ = req.json(&1).send().await; //~ SEND
}
