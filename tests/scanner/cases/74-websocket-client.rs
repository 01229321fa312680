// WebSocket client; control frames. SEND, READ
async fn f() {
    use futures::SinkExt; use tokio_tungstenite::tungstenite::Message;
    let (mut ws, _) = tokio_tungstenite::connect_async("wss://x").await.unwrap(); //~ READ
    ws.send(Message::text("{\"op\":2}")).await.unwrap(); //~ SEND
    ws.send(Message::Pong(vec![].into())).await.unwrap(); //~ READ
}
