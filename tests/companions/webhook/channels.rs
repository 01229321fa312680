// A delivery that is put into a channel is planned where it is taken out.
use axum::routing::post;
use tokio::sync::mpsc;
async fn ask(h: &reqwest::Client, text: &str) {
    let _ = h.post("https://api.openai.com/v1/responses").body(text.to_owned()).send().await;
}
async fn first(id: &str) -> bool {
    sqlx::query("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING").bind(id).execute(pool()).await.is_ok_and(|done| done.rows_affected() == 1)
}
fn pool() -> &'static sqlx::PgPool { todo!() }

struct Job { id: String, text: String }
struct Note { id: String, text: String }
struct Count { of: u64 }
enum Command { Plan(String), Stop }
#[derive(Clone)]
struct App {
    jobs: mpsc::Sender<Job>,
    notes: mpsc::UnboundedSender<Note>,
    counts: flume::Sender<Count>,
    commands: mpsc::Sender<Command>,
}
fn routes() -> axum::Router<App> {
    axum::Router::new()
        .route("/webhooks/a", post(puts))
        .route("/webhooks/b", post(asks_first))
        .route("/webhooks/c", post(through))
        .route("/webhooks/d", post(asked_behind))
        .route("/webhooks/e", post(counted))
        .route("/webhooks/f", post(commands))
        .route("/webhooks/g", post(nudged))
}
async fn puts(app: axum::extract::State<App>, job: axum::Json<Job>) {
    let _ = app.jobs.send(job.0).await; //~ model-before-dedupe
}
async fn asks_first(app: axum::extract::State<App>, job: axum::Json<Job>) {
    if first(&job.id).await {
        let _ = app.jobs.send(job.0).await;
    }
}
async fn through(app: axum::extract::State<App>, job: axum::Json<Job>) {
    enqueue(&app.jobs, job.0); //~ model-before-dedupe
}
fn enqueue(jobs: &mpsc::Sender<Job>, job: Job) {
    let _ = jobs.try_send(job);
}
async fn work(mut jobs: mpsc::Receiver<Job>, h: reqwest::Client) {
    while let Some(job) = jobs.recv().await {
        tokio::spawn(plan(h.clone(), job));
    }
}
async fn plan(h: reqwest::Client, job: Job) { ask(&h, &job.text).await }

// It is told apart behind the channel.
async fn asked_behind(app: axum::extract::State<App>, note: axum::Json<Note>) {
    let _ = app.notes.send(note.0);
}
async fn notes(mut notes: mpsc::UnboundedReceiver<Note>, h: reqwest::Client) {
    while let Some(note) = notes.recv().await {
        if !first(&note.id).await { continue }
        ask(&h, &note.text).await;
    }
}
// Nobody plans behind this one.
async fn counted(app: axum::extract::State<App>, count: axum::Json<Count>) {
    let _ = app.counts.send_async(count.0).await;
}
async fn counts(counts: flume::Receiver<Count>) -> u64 {
    let mut sum = 0;
    while let Ok(count) = counts.recv_async().await { sum += count.of; }
    sum
}
// Of an enum one variant may be planned and another not.
async fn commands(app: axum::extract::State<App>) {
    let _ = app.commands.send(Command::Stop).await;
}
async fn commanded(mut commands: mpsc::Receiver<Command>, h: reqwest::Client) {
    while let Some(command) = commands.recv().await {
        match command { Command::Plan(text) => ask(&h, &text).await, Command::Stop => return }
    }
}

struct Heard { text: String }
async fn polled(bot: Bot, heard: mpsc::Sender<Heard>, mut offset: i32) {
    for u in bot.get_updates().offset(offset).await.unwrap() {
        let _ = heard.send(Heard { text: u.text }).await; //~ model-before-dedupe
        offset = u.id + 1;
    }
}
async fn settled(bot: Bot, heard: mpsc::Sender<Heard>, mut offset: i32) {
    for u in bot.get_updates().offset(offset).await.unwrap() {
        offset = u.id + 1;
        let _ = heard.send(Heard { text: u.text }).await;
    }
}
async fn answer(mut heard: mpsc::Receiver<Heard>, h: reqwest::Client) {
    while let Some(one) = heard.recv().await {
        ask(&h, &one.text).await;
    }
}

// Only what is newer than the last one is asked for.
struct Letter { text: String }
#[derive(Clone)]
struct Mailbox { last_history_id: std::sync::Arc<tokio::sync::Mutex<u64>>, letters: mpsc::Sender<Letter> }
impl Mailbox {
    async fn newer(&self, last_id: &mut u64) -> Result<Vec<String>, ()> {
        let found = listed(*last_id).await?;
        *last_id += found.len() as u64;
        Ok(found)
    }
}
async fn nudged(mailbox: axum::extract::State<Mailbox>, _: axum::Json<Job>) -> Result<(), ()> {
    let mut last_id = mailbox.last_history_id.lock().await;
    for text in mailbox.newer(&mut last_id).await? {
        let _ = mailbox.letters.send(Letter { text }).await;
    }
    Ok(())
}
async fn letters(mut letters: mpsc::Receiver<Letter>, h: reqwest::Client) {
    while let Some(letter) = letters.recv().await {
        ask(&h, &letter.text).await;
    }
}
async fn listed(from: u64) -> Result<Vec<String>, ()> { Ok(vec![from.to_string()]) }
