//! unused_must_use: nothing is recorded until it is awaited
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    let Reservation::Go(permit, text) = ledger.reserve(&key, String::new()).await? else { return Ok(()) };
    let _: String = text;
    permit.sent(Receipt::accepted());
    Ok(())
}

fn main() {}
