//! unused_must_use: what was granted stays pending
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    ledger.reserve(&key, ()).await?;
    Ok(())
}

fn main() {}
