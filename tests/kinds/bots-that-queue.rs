//~ depends kovi, azalea, teloxide, tokio-tungstenite, serenity, poise
// Frameworks queue what their bots say, so that nothing is awaited.
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use kovi::{MsgEvent, RuntimeBot};
use std::sync::Arc;
use teloxide::dispatching::DispatcherHandlerCx;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

fn pong(event: Arc<MsgEvent>, bot: Arc<RuntimeBot>) {
    event.reply("pong"); //~ send
    bot.send_group_msg(1, "text"); //~ send
    bot.set_group_whole_ban(1, true); //~ mutate
    event.borrow_text();
    let name = event.get_sender_nickname();
}

mod game {
    use azalea::prelude::*;

    fn stop(bot: Client) {
        bot.chat("bye"); //~ send
    }
}

fn chat(bot: &azalea::Client) {
    bot.chat("/kill"); //~ send
    bot.walk("forward");
}

async fn answer(cx: DispatcherHandlerCx<teloxide::types::Message>) -> ResponseResult<()> {
    cx.answer("Pong!").send().await?; //~ send
    cx.delete_message().send().await?; //~ mutate
    Ok(())
}

// A variable may be named like a frame.
async fn beat(socket: &mut SplitSink<WebSocketStream<Tcp>, Message>) {
    let ping = Message::text("{\"op\":1}");
    socket.send(ping).await.ok(); //~ send
    socket.send(Message::Ping(Vec::new())).await.ok();
}

async fn show(cmd: serenity::model::application::interaction::application_command::ApplicationCommandInteraction, ctx: &serenity::client::Context) {
    cmd.create_interaction_response(ctx, |response| { //~ send
        response.interaction_response_data(|data| match ctx.embeds() {
            Some(embeds) => data.add_embeds(embeds),
            None => data.content("none"),
        })
    })
    .await
    .ok();
}

async fn defer(ctx: poise::Context<'_, Data, Error>, reply: poise::CreateReply) -> Result<(), Error> {
    match ctx {
        poise::Context::Application(ctx) => ctx.defer_response(true).await?, //~ mutate
        poise::Context::Prefix(ctx) => {}
    }
    ctx.send(reply.reply(true)).await?; //~ send
    Ok(())
}
