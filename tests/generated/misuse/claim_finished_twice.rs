//! E0382: a claim is finished once
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    let Accepted::Fresh(claim) = ledger.accept_event(sources::HOOK, "e1", &1.into(), None).await? else {
        return Ok(());
    };
    claim.finish().await?;
    claim.finish().await
}

fn main() {}
