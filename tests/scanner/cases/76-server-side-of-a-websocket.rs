// Server side of a WebSocket (axum): same call, other direction. NOT-OUTBOUND by default
async fn ws(mut s: axum::extract::ws::WebSocket) {
    let _ = s.send(axum::extract::ws::Message::Text("hi".into())).await;
}
