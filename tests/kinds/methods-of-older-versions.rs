//~ depends twitch-irc, poise, ruma, reqwest, serenity
// Methods that another version had; fields of variants; requests that are named by their modules.
use ruma::api::client::membership::{ban_user, join_room_by_id};
use ruma::api::client::sync::sync_events;

async fn chat(client: &twitch_irc::TwitchIRCClient<Transport, Login>, message: &Privmsg) {
    client.reply_to_privmsg("text".to_owned(), message).await.ok(); //~ send
    client.say_later("room".to_owned(), "text".to_owned()).await.ok(); //~ send
}

fn failed() -> Handler {
    |error| {
        Box::pin(async move {
            match error {
                poise::FrameworkError::Command { error, ctx, .. } => {
                    let _ = ctx.say(error.to_string()).await; //~ send
                }
                _ => {}
            }
        })
    }
}

async fn rooms(client: &ruma::Client<Http>, room: &RoomId, user: &UserId) -> anyhow::Result<()> {
    client.send_request(join_room_by_id::v3::Request::new(room)).await?; //~ mutate
    let mut request = ban_user::v3::Request::new(room, user);
    client.send_request(request).await?; //~ mutate
    client.send_request(sync_events::v3::Request::new()).await?;
    client.send_request(ruma::api::client::message::send_message_event::v3::Request::new(room)).await?; //~ send
    Ok(())
}

async fn poll(http: &reqwest::Client, base: &str) -> anyhow::Result<()> {
    http.post(format!("{base}/ilink/bot/getupdates")).body("{}").send().await?;
    http.post(format!("{base}/ilink/bot/getuploadurl")).body("{}").send().await?;
    http.post(format!("{base}/ilink/bot/getorcreate")).body("{}").send().await?; //~ mutate
    Ok(())
}

async fn wait(user: &serenity::model::user::User, context: &serenity::client::Context) {
    let answer = user.reply_collector(&context.shard).timeout(Duration::from_secs(5)).collect_single().await;
}
