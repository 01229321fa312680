//~ depends async-imap, async-nats, bb8, deadpool
// What a pool hands out is what its manager makes.
use async_imap::Session;
use bb8::Pool;

pub struct MailConnections;

impl bb8::ManageConnection for MailConnections {
    type Connection = Session<Box<dyn Stream>>;
    type Error = Error;
    async fn connect(&self) -> Result<Self::Connection, Self::Error> {
        todo!()
    }
}

struct Executor {
    pool: Pool<MailConnections>,
}

impl Executor {
    async fn keep(&self, folder: &str, text: &[u8]) -> Result<(), Error> {
        let mut session = self.pool.get().await.map_err(Error::from)?;
        session.append(folder, None, None, text).await?; //~ mutate
        Ok(())
    }
    async fn given(&self, mut session: bb8::PooledConnection<'_, MailConnections>) -> Result<(), Error> {
        session.delete("Trash").await?; //~ mutate
        session.rename("Old", "New").await?; //~ mutate
        Ok(())
    }
}

struct Nats;

impl deadpool::managed::Manager for Nats {
    type Type = async_nats::Client;
    type Error = Error;
}

async fn tell(pool: &deadpool::managed::Pool<Nats>) -> Result<(), Error> {
    pool.get().await?.publish("subject", "payload".into()).await?; //~ send
    Ok(())
}
