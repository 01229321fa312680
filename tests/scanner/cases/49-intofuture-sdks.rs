// IntoFuture SDKs: there is no send call at all; the sink is the constructor, the time is the `.await`. SEND
async fn f(bot: teloxide::Bot, id: teloxide::types::ChatId) {
    use teloxide::prelude::*;
    bot.send_message(id, "hi").await.ok(); //~ SEND
    let later = bot.send_message(id, "again"); later.await.ok(); //~ SEND
}
