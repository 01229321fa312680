//~ depends tokio-tungstenite, futures-util, tokio
// A sink of which no more is known than what it takes.
use futures_util::{Sink, SinkExt};
use tokio_tungstenite::tungstenite::Message;

async fn subscribe<W>(write: &mut W, text: String) -> anyhow::Result<()>
where
    W: SinkExt<Message> + Unpin,
{
    write.send(Message::Text(text.into())).await?; //~ send
    Ok(())
}

async fn locked<S: Sink<Message> + Unpin>(writer: Arc<Mutex<S>>, text: String) {
    writer.lock().await.send(Message::Close(None)).await.ok(); //~ read
    writer.lock().await.send(Message::Text(text.into())).await.ok(); //~ send
}

async fn queued(tx: tokio::sync::mpsc::Sender<Message>, text: String) {
    tx.send(Message::Text(text.into())).await.ok();
}
