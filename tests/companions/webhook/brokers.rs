// What brokers and mailboxes deliver, they deliver again.
use futures::{StreamExt, TryStreamExt};
async fn ask(h: &reqwest::Client, text: &str) -> String {
    h.post("https://api.openai.com/v1/responses").body(text.to_owned()).send().await.unwrap().text().await.unwrap()
}
async fn nats(client: async_nats::Client, h: &reqwest::Client) {
    let mut inbox = client.subscribe("orders").await.unwrap();
    while let Some(message) = inbox.next().await {
        ask(h, &message.subject).await; //~ model-before-dedupe
    }
}
async fn jetstream(consumer: async_nats::jetstream::consumer::PullConsumer, h: &reqwest::Client) {
    let mut messages = consumer.messages().await.unwrap();
    while let Some(Ok(message)) = messages.next().await {
        ask(h, &message.subject).await; //~ model-before-dedupe
        message.ack().await.unwrap();
    }
}
async fn jetstream_right(consumer: async_nats::jetstream::consumer::PullConsumer, h: &reqwest::Client) {
    let mut messages = consumer.messages().await.unwrap();
    while let Some(Ok(message)) = messages.next().await {
        if !first(&message.subject).await { continue }
        ask(h, &message.subject).await;
        message.ack().await.unwrap();
    }
}
async fn kafka(consumer: rdkafka::consumer::StreamConsumer, h: &reqwest::Client) {
    loop {
        let message = consumer.recv().await.unwrap();
        ask(h, text(&message)).await; //~ model-before-dedupe
        consumer.commit_message(&message, rdkafka::consumer::CommitMode::Async).unwrap();
    }
}
async fn kafka_stream(consumer: rdkafka::consumer::StreamConsumer, h: &reqwest::Client) {
    let mut stream = consumer.stream();
    while let Some(message) = stream.next().await {
        ask(h, text(&message)).await; //~ model-before-dedupe
    }
}
async fn amqp(mut consumer: lapin::Consumer, h: &reqwest::Client) {
    while let Some(Ok(delivery)) = consumer.next().await {
        ask(h, &delivery.routing_key).await; //~ model-before-dedupe
        delivery.ack(Default::default()).await.unwrap();
    }
}
async fn mail(mut session: imap::Session<std::net::TcpStream>, h: &reqwest::Client) {
    for uid in session.uid_search("UNSEEN").unwrap() {
        let mails = session.uid_fetch(uid.to_string(), "BODY[]").unwrap();
        for mail in &mails {
            ask(h, std::str::from_utf8(mail.body().unwrap()).unwrap()).await; //~ model-before-dedupe
        }
    }
}
// What one part of the program gives to another comes once.
async fn channel(mut jobs: tokio::sync::mpsc::Receiver<String>, h: &reqwest::Client) {
    while let Some(job) = jobs.recv().await {
        ask(h, &job).await;
    }
}
fn text<T>(_: &T) -> &'static str { "" }
async fn first(id: &str) -> bool {
    sqlx::query("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING").bind(id).execute(pool()).await.is_ok_and(|done| done.rows_affected() == 1)
}
fn pool() -> &'static sqlx::PgPool { todo!() }
