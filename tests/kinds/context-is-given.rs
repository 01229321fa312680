//~ depends serenity
// A receiver without a type, given the context of a crate: a call of that crate.
use serenity::client::Context;

async fn clean(ctx: &Context, found: &Found) {
    let (message, room) = found.parts();
    message.delete(&ctx).await.ok(); //~ mutate
    room.say(&ctx.http, "gone").await.ok(); //~ send
    found.forum().create_forum_post(&ctx, 1).await.ok(); //~ mutate
    found.store().remember(&ctx).await.ok();
}
