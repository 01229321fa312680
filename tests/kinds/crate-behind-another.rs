//~ depends poise
// Types of a crate that the package has only through another one that re-exports it.
use poise::serenity_prelude as serenity;

async fn clean(ctx: poise::Context<'_, (), anyhow::Error>, old: Vec<serenity::MessageId>) -> anyhow::Result<()> {
    let http = ctx.http();
    ctx.channel_id().delete_messages(http, old).await?; //~ mutate
    ctx.serenity_context().http.add_member_role(1, 2, 3, None).await?; //~ mutate
    Ok(())
}

async fn follow(followed: &Followed, ctx: &serenity::Context) {
    for message in followed.recent().await {
        message.reply_ping(ctx, "again").await.ok(); //~ send
    }
}
