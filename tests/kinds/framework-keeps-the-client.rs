//~ depends poise, reqwest
// What a framework hands out of the team's own values is no type of the framework.
use poise::serenity_prelude as serenity;

struct Data {
    http: reqwest::Client,
    shown_in: serenity::ChannelId,
    store: Store,
}
type Context<'a> = poise::Context<'a, Data, anyhow::Error>;

async fn run(ctx: Context<'_>, code: &str) -> anyhow::Result<()> {
    let reply = ctx.data().http.post("https://play.example.org/execute").json(&code).send().await?; //~ mutate
    let page = ctx.data().http.get("https://example.org/page").send().await?; //~ read
    ctx.say("done").await?; //~ send
    ctx.data().shown_in.send_message(ctx.serenity_context(), serenity::CreateMessage::new()).await?; //~ send
    ctx.data().store.add_entry(code).await?;
    Ok(())
}

async fn later(ctx: poise::ApplicationContext<'_, Data, anyhow::Error>) -> anyhow::Result<()> {
    ctx.defer().await?; //~ mutate
    ctx.channel_id().edit(ctx.http(), serenity::EditChannel::new()).await?; //~ mutate
    Ok(())
}
