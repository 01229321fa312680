// Inbound read by polling: offset saved after the model call.
async fn poll(bot: Bot, llm: Llm, mut offset: i32) {
    for u in bot.get_updates().offset(offset).await.unwrap() {
        llm.prompt(&u.text).await; //~ model-before-dedupe
        offset = u.id + 1;
    }
}
async fn saved_before(bot: Bot, llm: Llm, mut offset: i32) {
    for u in bot.get_updates().offset(offset).await.unwrap() {
        offset = u.id + 1;
        llm.prompt(&u.text).await;
    }
}
