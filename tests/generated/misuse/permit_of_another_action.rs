//! E0308: a permit is for its own action
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    let Reservation::Go(permit, text) = ledger.reserve(&key, String::new()).await? else { return Ok(()) };
    let _: String = text;
    let plan: Permit<keys::Plan<'_>> = permit;
    plan.sent(Receipt::accepted()).await
}

fn main() {}
