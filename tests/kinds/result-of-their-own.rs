//~ depends nostr-sdk
// A package's own `Result` stands for what it is given.
use nostr_sdk::prelude::*;

pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
type Shared<T> = std::sync::Arc<tokio::sync::Mutex<T>>;

static CLIENT: std::sync::OnceLock<Client> = std::sync::OnceLock::new();

mod parts {
    use nostr_sdk::Client;

    use super::{CLIENT, Result};

    pub fn client() -> Result<&'static Client> {
        if let Some(client) = CLIENT.get() { Ok(client) } else { Err("not yet".into()) }
    }
}

async fn tell(event: Event, shared: Shared<Client>) -> Result<()> {
    let client = parts::client()?;
    client.send_event(&event).await?; //~ send
    shared.lock().await.send_event(&event).await?; //~ send
    Ok(())
}
