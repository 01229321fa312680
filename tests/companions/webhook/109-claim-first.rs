// Claim first, then spawn.
async fn hook(axum::Json(e): axum::Json<Event>, llm: Llm, db: Db) -> http::StatusCode {
    if db.insert_event(&e.event_id).await { tokio::spawn(async move { llm.prompt(&e.text).await; }); }
    http::StatusCode::OK
}
