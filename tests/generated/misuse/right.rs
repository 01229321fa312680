//! Nothing is wrong here.
use generated::client::{Accepted, Ledger, LedgerError, Outcome, Receipt, Reservation, SendError, Slot, keys, sources};

async fn send(text: String, slot: Slot<keys::Reply<'_>>) -> Result<Receipt, SendError> {
    let _ = (text, slot.time_left());
    Ok(Receipt::accepted())
}

async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let key = keys::Reply { message: "m1" };
    let Outcome::Sent(_) = ledger.once(&key, String::new(), send).await? else { return Ok(()) };
    if let Reservation::Go(permit, text) = ledger.reserve(&key, String::new()).await? {
        match send(text, permit.slot()).await {
            Ok(receipt) => permit.sent(receipt).await?,
            Err(error) => permit.unknown(error.to_string()).await?,
        }
    }
    if let Accepted::Fresh(claim) = ledger.accept_event(sources::HOOK, "e1", &1.into(), None).await? {
        claim.finish().await?;
    }
    Ok(())
}

fn main() {
    let _ = |ledger: Ledger| async move { act(&ledger).await };
}
