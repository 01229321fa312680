//! E0271: a send answers with a receipt
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    let _ = ledger.once(&key, (), |(), _| async { Ok(()) }).await?;
    Ok(())
}

fn main() {}
