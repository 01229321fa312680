//~ depends reqwest
// Functions that are all called `execute` stand in modules that are named after what they request.
async fn execute_raw(builder: reqwest::RequestBuilder) -> reqwest::Result<()> {
    builder.send().await?; //~ send
    Ok(())
}

async fn execute_api(make: impl Fn() -> reqwest::RequestBuilder) -> reqwest::Result<()> {
    let builder = make();
    execute_raw(builder).await
}

mod post_v2_bot_message_push {
    pub async fn execute(http: &reqwest::Client, url: &str) {
        let _ = crate::execute_api(|| http.post(url)).await;
    }
}

mod get_v2_bot_message_quota {
    pub async fn execute(http: &reqwest::Client, url: &str) {
        let _ = crate::execute_api(|| http.get(url)).await;
    }
}
