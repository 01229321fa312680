//~ depends grammers-client, grammers-tl-types
// A raw call does what its type is called.
use grammers_client::Client;
use grammers_tl_types as tl;

async fn manage(client: &Client) -> anyhow::Result<()> {
    client.invoke(&tl::functions::channels::EditBanned { banned: true }).await?; //~ mutate
    client.invoke(&tl::functions::messages::ImportChatInvite { hash: String::new() }).await?; //~ mutate
    client.invoke(&tl::functions::messages::SendReaction { big: false }).await?; //~ mutate
    client.invoke(&tl::functions::messages::ForwardMessages { silent: false }).await?; //~ send
    client.invoke(&tl::functions::messages::SendMedia { silent: false }).await?; //~ send
    client.invoke(&tl::functions::messages::GetHistory { limit: 1 }).await?; //~ read
    Ok(())
}
