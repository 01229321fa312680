// Channels: mpsc, oneshot, broadcast, watch, crossbeam, flume. NOT-OUTBOUND
async fn f(tx: tokio::sync::mpsc::Sender<u8>, done: tokio::sync::oneshot::Sender<u8>) {
    let _ = tx.send(1).await;
    let _ = done.send(2);
}
