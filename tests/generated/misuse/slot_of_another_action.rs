//! E0308: a send that takes a slot is for its own action
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    async fn plan(_: Slot<keys::Plan<'_>>) -> Result<Receipt, SendError> {
        Ok(Receipt::accepted())
    }
    let key = keys::Reply { message: "m1" };
    let _ = ledger.once(&key, (), |(), slot| plan(slot)).await?;
    Ok(())
}

fn main() {}
