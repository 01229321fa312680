//~ depends someones-lnd, climb
// A part of a client under a name of its own, and a client whose crate a glob hides.
use climb::prelude::*;

async fn invoice(client: &mut someones_lnd::Client) -> Result<(), Error> {
    let lightning = client.lightning();
    lightning.add_invoice(1).await?; //~ mutate
    let router = client.router();
    router.send_payment(2).await?; //~ charge
    client.lightning().new_address(3).await?; //~ mutate
    client.lightning().send_coins(3).await?; //~ charge
    let pages = client.get_pages();
    pages.set_size(3).await;
    Ok(())
}

struct Chain {
    client: SigningClient,
}

impl Chain {
    async fn lease(&self, message: Message) -> Result<(), Error> {
        let mut tx_builder = self.client.tx_builder();
        tx_builder.set_timeout(3);
        tx_builder.broadcast(message).await?; //~ charge
        Ok(())
    }
}
