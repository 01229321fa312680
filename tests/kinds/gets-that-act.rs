//~ depends reqwest
// GETs that change something, told by the name of the function and the end of the path; chunks of a file that is sent;
// what faucets are asked for.
async fn send_sms(http: &reqwest::Client, to: &str) {
    let _ = http.get(format!("https://sms.example.com/sms/send?to={to}")).send().await; //~ send
    let _ = http.get(format!("https://sms.example.com/sms/status?to={to}")).send().await;
}
async fn delete_milestone(http: &reqwest::Client, base: &str, number: u64) {
    let _ = http.get(format!("{base}/milestones/{number}/delete")).send().await; //~ mutate
}
async fn list_deleted(http: &reqwest::Client, base: &str) {
    let _ = http.get(format!("{base}/milestones/delete")).send().await;
}
async fn send_chunk_once(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).send().await; //~ mutate
}
async fn get_faucet(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).send().await; //~ mutate
}
async fn resolve_token(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/info")).send().await; //~ read
}
