// Handlers of warp, rocket, poem and salvo.
use salvo::prelude::Router;
use warp::Filter;
struct Event { id: String, text: String }
async fn ask(h: &reqwest::Client, text: &str) -> String {
    h.post("https://api.openai.com/v1/responses").body(text.to_owned()).send().await.unwrap().text().await.unwrap()
}
async fn first(id: &str) -> bool {
    sqlx::query("INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING").bind(id).execute(pool()).await.is_ok_and(|done| done.rows_affected() == 1)
}
fn http() -> reqwest::Client { reqwest::Client::new() }
fn pool() -> &'static sqlx::PgPool { todo!() }

fn by_warp() {
    let hook = warp::path("webhook").and(warp::post()).and(warp::body::json()).and_then(warp_plans);
    let right = warp::path!("hooks" / "x").and(warp::body::json()).and_then(warp_asks_first);
    let chat = warp::path("chat").and(warp::body::json()).and_then(warp_chat);
    let closure = warp::path!("webhooks" / "y").and(warp::body::json()).then(|e: Event| async move {
        ask(&http(), &e.text).await //~ model-before-dedupe
    });
    let _ = hook.or(right).or(chat).or(closure);
}
async fn warp_plans(e: Event) -> Result<String, warp::Rejection> {
    Ok(ask(&http(), &e.text).await) //~ model-before-dedupe
}
async fn warp_asks_first(e: Event) -> Result<String, warp::Rejection> {
    if !first(&e.id).await { return Ok(String::new()) }
    Ok(ask(&http(), &e.text).await)
}
async fn warp_chat(e: Event) -> Result<String, warp::Rejection> { Ok(ask(&http(), &e.text).await) }

#[rocket::post("/webhooks/x", data = "<e>")]
async fn by_rocket(e: rocket::serde::json::Json<Event>) -> String {
    ask(&http(), &e.text).await //~ model-before-dedupe
}
#[rocket::post("/chat", data = "<e>")]
async fn rocket_chat(e: rocket::serde::json::Json<Event>) -> String { ask(&http(), &e.text).await }

fn by_poem() -> poem::Route {
    poem::Route::new().at("/webhooks/x", poem::post(poem_plans)).at("/chat", poem::post(poem_chat))
}
#[poem::handler]
async fn poem_plans(e: poem::web::Json<Event>) -> String {
    ask(&http(), &e.text).await //~ model-before-dedupe
}
#[poem::handler]
async fn poem_chat(e: poem::web::Json<Event>) -> String { ask(&http(), &e.text).await }

fn by_salvo() -> Router {
    Router::new().push(Router::with_path("webhooks/x").post(salvo_plans)).push(Router::with_path("chat").post(salvo_chat))
}
#[salvo::handler]
async fn salvo_plans(r: &mut salvo::Request) -> String {
    let e: Event = r.parse_json().await.unwrap();
    ask(&http(), &e.text).await //~ model-before-dedupe
}
#[salvo::handler]
async fn salvo_chat(r: &mut salvo::Request) -> String {
    let e: Event = r.parse_json().await.unwrap();
    ask(&http(), &e.text).await
}
