// Fresh id that is stored before the send and re-read on retry is right. OK
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
struct Msg { text: String }
struct Row { id: uuid::Uuid, text: String }
struct Db;
impl Db {
    async fn insert_outbox(&self, _: uuid::Uuid, _: &Msg) {}
    async fn due(&self) -> Vec<Row> { Vec::new() }
}
async fn enqueue(db: &Db, m: Msg) -> uuid::Uuid {
    let id = uuid::Uuid::new_v4();
    db.insert_outbox(id, &m).await;
    id
}
async fn work(db: &Db, once: &Once, h: &reqwest::Client) {
    for row in db.due().await {
        once.run(&row.id.to_string(), || async { h.post("https://x").body(row.text.clone()).send().await }).await;
    }
}
