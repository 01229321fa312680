//! E0063: a key has all of its parts
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let _ = ledger.once(&keys::Reply {}, (), |(), _| async { Ok(Receipt::accepted()) }).await?;
    Ok(())
}

fn main() {}
