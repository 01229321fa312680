//! unused_must_use: a duplicate must have no second effect
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    ledger.accept_event(sources::HOOK, "e1", &1.into(), None).await?;
    Ok(())
}

fn main() {}
