//~ depends async-openai
// What leads to a part of a client asks nothing yet.
async fn speak(client: &async_openai::Client<C>, request: Speech, other: Transcription) -> anyhow::Result<()> {
    client.audio().speech().create(request).await?; //~ model
    client.audio().transcription().create(other).await?; //~ model
    Ok(())
}

async fn of_old(client: &async_openai::Client<C>, request: Speech) -> anyhow::Result<()> {
    client.audio().speech(request).await?; //~ model
    Ok(())
}
