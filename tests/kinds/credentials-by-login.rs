//~ depends reqwest
async fn password_login(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/pass/serviceLoginAuth2")).send().await; //~ auth
}

async fn login_with_code(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/pass/code")).send().await; //~ auth
}

async fn record_login(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/visits")).send().await; //~ mutate
}
