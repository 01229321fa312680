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
// The second tells of the first's failure.
async fn reports(bot: &teloxide::Bot, id: teloxide::types::ChatId, text: String) {
    use teloxide::prelude::*;
    let result = bot.send_message(id, text).await;
    if let Err(e) = result {
        let _ = bot.send_message(id, format!("that did not work: {e}")).await;
    }
}
// What is done twice is the same.
async fn sets(h: &reqwest::Client, id: &str) {
    if h.patch(format!("https://api.example.com/groups/{id}")).send().await.is_err() {
        let _ = h.patch(format!("https://api.example.com/groups/{id}")).send().await;
    }
}
// The send is over, what raced is the answer to it.
async fn waits(bot: &teloxide::Bot, id: teloxide::types::ChatId) -> anyhow::Result<()> {
    use teloxide::prelude::*;
    let sent = bot.send_message(id, "question").await?;
    loop {
        let mut answers = answers_to(&sent);
        tokio::select! {
            _ = tokio::time::sleep(std::time::Duration::from_secs(60)) => {
                bot.send_message(id, "too late").await?;
                anyhow::bail!("stale");
            }
            answer = answers.next() => if answer.is_some() { return Ok(()) },
        }
    }
}
// The other side could not read it: nothing was sent.
async fn plain_where_markup_is_refused(bot: &teloxide::Bot, id: teloxide::types::ChatId, text: &str) -> anyhow::Result<()> {
    use teloxide::prelude::*;
    let sent = bot.send_message(id, text).parse_mode(teloxide::types::ParseMode::Html).await;
    if let Err(error) = sent {
        if should_retry_plain(&error) {
            bot.send_message(id, text).await?;
        } else {
            return Err(error.into());
        }
    }
    Ok(())
}
fn should_retry_plain(error: &teloxide::RequestError) -> bool {
    matches!(error, teloxide::RequestError::Api(teloxide::ApiError::CantParseEntities(_)))
}
// It was too large: nothing was taken.
async fn shorter_where_it_is_too_large(bot: &teloxide::Bot, id: teloxide::types::ChatId, text: &str) {
    use teloxide::prelude::*;
    match bot.send_message(id, text).await {
        Err(error) if error.is_payload_too_large() => drop(bot.send_message(id, "too much").await),
        _ => {}
    }
}
// The second says something else.
async fn apologises(bot: &teloxide::Bot, id: teloxide::types::ChatId, text: String) {
    use teloxide::prelude::*;
    if bot.send_message(id, text).await.is_err() {
        let _ = bot.send_message(id, "that did not work").await;
    }
}
async fn shortens(bot: &teloxide::Bot, id: teloxide::types::ChatId, text: String) {
    use teloxide::prelude::*;
    if bot.send_message(id, text.clone()).await.is_err() { //~ timeout-as-failure
        let _ = bot.send_message(id, text.chars().take(100).collect::<String>()).await;
    }
}
async fn renders(bot: &teloxide::Bot, id: teloxide::types::ChatId, message: &Message) {
    use teloxide::prelude::*;
    let html = rendered(&message.text);
    if bot.send_message(id, html).await.is_err() { //~ timeout-as-failure
        let _ = bot.send_message(id, message.text.clone()).await;
    }
}
// Both go to the same chat, and say something else.
async fn delivers(bot: &teloxide::Bot, msg: &Message, task: Task) {
    use teloxide::prelude::*;
    if bot.send_message(msg.chat.id, task.text).await.is_err() {
        let _ = bot.send_message(msg.chat.id, texts().process_failed).await;
    }
}
