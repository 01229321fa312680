// Answered with a second send.
async fn plainly(bot: &teloxide::Bot, id: teloxide::types::ChatId) {
    use teloxide::prelude::*;
    if bot.send_message(id, "<b>hi</b>").await.is_err() { //~ timeout-as-failure
        let _ = bot.send_message(id, "hi").await;
    }
}
// Something else is sent.
async fn tells(bot: &teloxide::Bot, id: teloxide::types::ChatId, file: teloxide::types::InputFile) {
    use teloxide::prelude::*;
    if bot.send_document(id, file).await.is_err() {
        let _ = bot.send_message(id, "that did not work").await;
    }
}
async fn alarms(h: &reqwest::Client) {
    if h.post("https://api.example.com/charge").send().await.is_err() {
        let _ = h.post("https://hooks.slack.com/x").send().await;
    }
}
// Both are sent in any case.
async fn both(bot: &teloxide::Bot, id: teloxide::types::ChatId) {
    use teloxide::prelude::*;
    let _ = bot.send_message(id, "one").await;
    let _ = bot.send_message(id, "two").await;
}
// A task of its own: what follows where it was started does not come after it.
async fn beats(mut sink: teloxide::Bot, id: teloxide::types::ChatId) {
    use teloxide::prelude::*;
    let bot = sink.clone();
    tokio::spawn(async move {
        loop {
            if bot.send_message(id, "beat").await.is_err() { return }
        }
    });
    let _ = sink.send_message(id, "hello").await;
}
