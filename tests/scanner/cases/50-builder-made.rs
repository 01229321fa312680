// Builder made, never awaited. NOT-OUTBOUND (a lint could say so)
fn f(bot: &teloxide::Bot, id: teloxide::types::ChatId) {
    use teloxide::prelude::*;
    let _unused = bot.send_message(id, "never sent");
}
