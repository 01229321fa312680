//! E0451: a slot comes of a reservation alone
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let _ = ledger;
    let _ = Slot::<keys::Reply<'_>> { key: todo!(), started: todo!(), budget: todo!(), action: todo!() };
    Ok(())
}

fn main() {}
