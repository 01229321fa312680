//~ depends telegraph-rs, image
async fn publish(telegraph: &telegraph_rs::Telegraph, title: &str, text: &str) -> anyhow::Result<()> {
    telegraph.create_page(title, text, false).await?; //~ mutate
    telegraph.get_page(title).await?;
    Ok(())
}
