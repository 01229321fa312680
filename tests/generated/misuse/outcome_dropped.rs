//! unused_must_use: it may not have been sent
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await?;
    Ok(())
}

fn main() {}
