// Handlers of other frameworks, through helpers, extractors, tasks and layers.
use axum::routing::post;
struct Event { id: String, text: String }
struct Db;
impl Db {
    async fn first(&self, id: &str) -> Result<bool, ()> {
        let done = sqlx::query("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING").bind(id).execute(pool()).await.map_err(drop)?;
        Ok(done.rows_affected() == 1)
    }
    async fn careless(&self, id: &str) {
        let _ = sqlx::query("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING").bind(id).execute(pool()).await;
    }
}
async fn ask(h: &reqwest::Client, text: &str) -> String {
    h.post("https://api.openai.com/v1/responses").body(text.to_owned()).send().await.unwrap().text().await.unwrap()
}
async fn think(h: &reqwest::Client, e: &Event) -> String { ask(h, &e.text).await }

fn routes() -> axum::Router {
    axum::Router::new()
        .route("/webhooks/x", post(never))
        .route("/webhooks/y", post(asks_first))
        .route("/chat", post(chat))
        .route("/webhooks/z", post(taken))
        .route("/webhooks/w", post(forgets))
}
async fn never(h: axum::extract::State<reqwest::Client>, e: axum::Json<Event>) {
    think(&h, &e).await; //~ model-before-dedupe
}
async fn asks_first(h: axum::extract::State<reqwest::Client>, db: axum::extract::State<Db>, e: axum::Json<Event>) -> Result<(), ()> {
    if !db.first(&e.id).await? { return Ok(()) }
    think(&h, &e).await;
    Ok(())
}
async fn forgets(h: axum::extract::State<reqwest::Client>, db: axum::extract::State<Db>, e: axum::Json<Event>) {
    db.careless(&e.id).await;
    tokio::spawn(async move { think(&h, &e).await; }); //~ model-before-dedupe
}
// A person asks, no platform delivers.
async fn chat(h: axum::extract::State<reqwest::Client>, e: axum::Json<Event>) -> String { ask(&h, &e.text).await }

struct Fresh(Event);
impl axum::extract::FromRequest<()> for Fresh {
    type Rejection = ();
    async fn from_request(r: axum::extract::Request, s: &()) -> Result<Self, ()> {
        let e = axum::Json::<Event>::from_request(r, s).await.map_err(drop)?;
        if db().first(&e.id).await? { Ok(Fresh(e.0)) } else { Err(()) }
    }
}
async fn taken(h: axum::extract::State<reqwest::Client>, e: Fresh) { think(&h, &e.0).await; }

fn layered() -> axum::Router {
    axum::Router::new().route("/webhooks/v", post(behind)).layer(axum::middleware::from_fn(repeats))
}
async fn repeats(r: axum::extract::Request, next: axum::middleware::Next) -> Result<axum::response::Response, ()> {
    if !db().first("x").await? { return Err(()) }
    Ok(next.run(r).await)
}
async fn behind(h: axum::extract::State<reqwest::Client>, e: axum::Json<Event>) { think(&h, &e).await; }

#[actix_web::post("/slack/events")]
async fn slack(h: actix_web::web::Data<reqwest::Client>, e: actix_web::web::Json<Event>) {
    think(&h, &e).await; //~ model-before-dedupe
}

async fn lambda(h: &reqwest::Client) {
    let _ = lambda_runtime::run(lambda_runtime::service_fn(|e: lambda_runtime::LambdaEvent<Event>| async move {
        ask(h, &e.payload.text).await //~ model-before-dedupe
    })).await;
}

async fn queue(sqs: &aws_sdk_sqs::Client, h: &reqwest::Client) {
    loop {
        let got = sqs.receive_message().queue_url("u").send().await.unwrap();
        for m in got.messages() {
            ask(h, m.body().unwrap()).await; //~ model-before-dedupe
            sqs.delete_message().receipt_handle("r").send().await.unwrap();
        }
    }
}
fn db() -> Db { Db }
fn pool() -> &'static sqlx::PgPool { todo!() }
