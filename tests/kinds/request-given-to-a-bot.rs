//~ depends telers, telegram-bot
// What a bot does with a request is told by the request: the name of its type, or of the method that made it.
use std::time::Duration;
use telegram_bot::{Api, GetMe, Message};
use telers::{Bot, methods::{AnswerCallbackQuery, DeleteMessage, GetMe as Me, SendMessage, SetMyCommands}};

async fn answer(bot: Bot, id: i64) -> anyhow::Result<()> {
    bot.send(AnswerCallbackQuery::new(id).text("done")).await?; //~ mutate
    bot.send(SetMyCommands::new(Vec::new()).scope(id)).await?; //~ mutate
    bot.send(DeleteMessage::new(id, id)).await?; //~ mutate
    bot.send(SendMessage::new(id, "text").reply_parameters(id)).await?; //~ send
    bot.send(Me {}).await?;
    Ok(())
}

async fn old(api: Api, message: Message) -> anyhow::Result<()> {
    api.send_timeout(GetMe, Duration::from_secs(5)).await?;
    api.send(message.get_file()).await?;
    let sent = api.send_timeout(message.text_reply("none"), Duration::from_secs(5)).await?; //~ send
    api.send_timeout(sent.delete(), 5).await?; //~ mutate
    api.send(message.edit_text("more")).await?; //~ mutate
    api.send(message.chat.photo(1).caption("x")).await?; //~ send
    Ok(())
}
