//~ depends reqwest
async fn google(http: &reqwest::Client, base: &str) {
    let _ = http.post("https://safebrowsing.googleapis.com/v4/threatMatches:find").send().await; //~ read
    let _ = http.post(format!("{base}/documents:runQuery")).send().await; //~ read
    let _ = http.post(format!("{base}/documents:commit")).send().await; //~ mutate
    let _ = http.post("https://translation.googleapis.com/language/translate/v2").send().await; //~ model
}

// Groups of notifications and mirrors of pushes are kept.
async fn kept(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/api/v0/notification-groups")).send().await; //~ mutate
    let _ = http.post(format!("{base}/repos/1/push_mirrors-sync")).send().await; //~ mutate
    let _ = http.post(format!("{base}/notifications")).send().await; //~ send
}
