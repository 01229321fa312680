//! unused_must_use: what came of it has to be recorded
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    fn permit<A>(reservation: Reservation<A, ()>) -> Permit<A> {
        match reservation {
            Reservation::Go(permit, ()) => permit,
            _ => unreachable!(),
        }
    }
    let key = keys::Reply { message: "m1" };
    permit(ledger.reserve(&key, ()).await?);
    Ok(())
}

fn main() {}
