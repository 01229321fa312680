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

async fn joined<E, T: Sink<Message, Error = E> + Unpin>(mut sink: T, mut all: StreamMap<usize, Receiver<Message>>) {
    sink.send_all(&mut all.map(|(_, message)| Ok(message))).await.ok(); //~ send
}

async fn collected<T: Sink<String> + Unpin>(mut sink: T, text: String) {
    sink.send(text).await.ok();
}

async fn queued(tx: tokio::sync::mpsc::Sender<Message>, text: String) {
    tx.send(Message::Text(text.into())).await.ok();
}
