// Webhook: model before the claim.
async fn hook(axum::Json(e): axum::Json<Event>, llm: Llm, db: Db) -> http::StatusCode {
    let answer = llm.prompt(&e.text).await; //~ model-before-dedupe
    if db.insert_event(&e.event_id).await { post(&answer).await }
    http::StatusCode::OK
}
