//~ depends elefren, tbot
// Blocking clients of Mastodon, and Telegram calls that end in `call`.
use elefren::prelude::*;

fn toot(mastodon: &Mastodon, text: &str) -> anyhow::Result<()> {
    mastodon.media(text.to_owned().into())?; //~ mutate
    mastodon.new_status(StatusBuilder::new().status(text).build()?)?; //~ send
    mastodon.verify_credentials()?;
    Ok(())
}

async fn answer(bot: &tbot::Bot, chat: i64) {
    bot.send_message(chat, "hello").is_web_page_preview_disabled(true).call().await.ok(); //~ send
    bot.edit_message_text(chat, 1, "hello").call().await.ok(); //~ mutate
    bot.get_chat(chat).call().await.ok(); //~ read
}
