//~ depends reqwest
async fn ids(http: &reqwest::Client) {
    let _ = http.post("https://open.feishu.cn/open-apis/contact/v3/users/batch_get_id").send().await; //~ read
    let _ = http.post("https://slack.com/api/files.getUploadURLExternal").send().await; //~ read
    let _ = http.post("https://open.feishu.cn/open-apis/message/v4/batch_send").send().await; //~ send
}

// What somebody is reached by is set, and nobody is written to.
async fn set(http: &reqwest::Client, base: &str, id: &str) {
    let _ = http.post(format!("{base}/v2/users/{id}/email")).send().await; //~ mutate
    let _ = http.post(format!("{base}/v2/users/{id}/email/send")).send().await; //~ send
    let _ = http.post(format!("{base}/v2/email")).send().await; //~ send
}

async fn rest(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/events/restSearch")).send().await; //~ read
    let _ = http.post(format!("{base}/events/bulkDelete")).send().await; //~ mutate
}
