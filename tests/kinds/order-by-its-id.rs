//~ depends clob-sdk, reqwest
// A noun with an id asks for one thing; POSTs of what only computes read.
async fn filled(client: &clob_sdk::Client, one: &str) -> anyhow::Result<()> {
    client.order(one).await?;
    client.order(new_order()).await?; //~ charge
    client.post_order(one).await?; //~ charge
    Ok(())
}

async fn computes(http: &reqwest::Client, code: String) -> anyhow::Result<()> {
    http.post("https://play.example.com/format").json(&code).send().await?;
    http.post("https://play.example.com/api/compiler/nightly/compile").json(&code).send().await?;
    http.post("https://play.example.com/macro-expansion").json(&code).send().await?;
    http.post("https://play.example.com/execute").json(&code).send().await?; //~ mutate
    Ok(())
}
