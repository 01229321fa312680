//~ depends twilight-http, reqwest
// Reads that are named after what they read, and setters that are named after a change.
async fn look(discord: &twilight_http::Client, guild: Id, user: Id) -> anyhow::Result<()> {
    discord.bans(guild).await?; //~ read
    discord.audit_log(guild).await?; //~ read
    discord.guild_channels(guild).await?; //~ read
    discord.create_ban(guild, user).await?; //~ mutate
    let mut request = discord.create_ban(guild, user); //~ mutate
    if let Some(seconds) = seconds() {
        request = request.delete_message_seconds(seconds);
    }
    request.await?;
    Ok(())
}

// Discord keeps more than messages.
async fn create_guild(http: &reqwest::Client, body: String) {
    let _ = http.post("https://discord.com/api/v10/guilds").body(body).send().await; //~ mutate
}

async fn create_message(http: &reqwest::Client, id: u64, body: String) {
    let _ = http.post(format!("https://discord.com/api/v10/channels/{id}/messages")).body(body).send().await; //~ send
}
