// Split sink handed to another fn: the element type is in the generic. SEND
type Ws = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;
async fn w(mut tx: futures::stream::SplitSink<Ws, tokio_tungstenite::tungstenite::Message>, m: String) {
    use futures::SinkExt; let _ = tx.send(m.into()).await; //~ SEND
}
