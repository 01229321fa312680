//! E0599: a second permit would be a second attempt
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    let Reservation::Go(permit, text) = ledger.reserve(&key, String::new()).await? else { return Ok(()) };
    let _: String = text;
    permit.clone().sent(Receipt::accepted()).await
}

fn main() {}
