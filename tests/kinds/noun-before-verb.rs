//~ depends transmission-rpc, misskey, reqwest, poise
// Methods of clients that nobody listed, named after the thing before what is done to it, or after what people do.
async fn download(mut client: transmission_rpc::TransClient, url: String) -> anyhow::Result<()> {
    client.torrent_add(Args { filename: Some(url) }).await?; //~ mutate
    client.torrent_remove(vec![1], true).await?; //~ mutate
    client.torrent_get(None, None).await?;
    client.session_stats().await?;
    Ok(())
}

async fn befriend(client: &misskey::HttpClient, user: User) -> anyhow::Result<()> {
    client.follow(&user).await?; //~ mutate
    client.unfollow(&user).await?; //~ mutate
    client.favorite(&user).await?; //~ mutate
    client.quote(&user, "text").await?; //~ send
    client.followers(&user).await?;
    Ok(())
}

// What a framework answers by itself is told to people.
async fn help(ctx: poise::Context<'_, Data, Error>, command: Option<String>) -> Result<(), Error> {
    poise::builtins::help(ctx, command.as_deref(), Default::default()).await?; //~ send
    poise::builtins::servers(ctx).await?; //~ send
    Ok(())
}
