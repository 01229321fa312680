//~ depends libsignal-service, someones-channel, reqwest
async fn tell(sender: &mut libsignal_service::MessageSender<Store>, to: &Id, text: Text) -> anyhow::Result<()> {
    sender.send_sync_message(text.clone()).await?; //~ send
    sender.upload_attachment(to, text).await?; //~ mutate
    Ok(())
}

async fn queue(sender: &someones_channel::UnboundedSender<u64>) {
    sender.send(1).await.ok();
}

// Nothing but a request is sent.
async fn send_with_error(request: reqwest::RequestBuilder) -> anyhow::Result<()> {
    request.send().await?; //~ mutate
    Ok(())
}
