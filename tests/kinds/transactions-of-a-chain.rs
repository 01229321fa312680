//~ depends reqwest, near-openapi-client
// What a chain is given moves what is on it, by whatever client.
async fn broadcast_tx(http: &reqwest::Client, base: &str, tx: String) {
    let _ = http.post(format!("{base}/tx")).body(tx).send().await; //~ charge
}

async fn near(client: &near_openapi_client::Client, signed: Signed) -> anyhow::Result<()> {
    client.send_tx(&signed).await?; //~ charge
    client.broadcast_transaction(&signed).await?; //~ charge
    client.send_transaction_receipt_email(&signed).await?; //~ send
    Ok(())
}
