// join_all over a mapping closure. SEND
async fn f(http: &reqwest::Client, us: Vec<String>) {
    let fs = us.iter().map(|u| http.post(u).send()); //~ SEND
    futures::future::join_all(fs).await;
}
