//~ depends electrum-client, esplora-client, bitcoincore-rpc, bdk
use bdk::blockchain::{Blockchain, ElectrumBlockchain};
use bitcoincore_rpc::RpcApi;
use electrum_client::ElectrumApi;

fn electrum(client: &electrum_client::Client, tx: &Transaction) -> anyhow::Result<()> {
    client.transaction_broadcast(tx)?; //~ charge
    client.block_headers_subscribe()?;
    Ok(())
}

async fn esplora(url: &str, tx: &Transaction) -> anyhow::Result<()> {
    let client = esplora_client::Builder::new(url).build_async()?;
    client.broadcast(tx).await?; //~ charge
    client.get_height().await?; //~ read
    Ok(())
}

fn node(client: &bitcoincore_rpc::Client, tx: &Transaction) -> anyhow::Result<()> {
    client.send_raw_transaction(tx)?; //~ charge
    client.get_block_count()?; //~ read
    Ok(())
}

fn wallet(blockchain: &ElectrumBlockchain, any: &impl Blockchain, tx: &Transaction) -> anyhow::Result<()> {
    blockchain.broadcast(tx)?; //~ charge
    any.broadcast(tx)?; //~ charge
    Ok(())
}
