//! E0308: what is sent is what is kept
#![deny(unused_must_use)]
use generated::client::*;

pub async fn act(ledger: &Ledger) -> Result<(), LedgerError> {
    fn send(_: u32) -> Result<Receipt, SendError> {
        Ok(Receipt::accepted())
    }
    let key = keys::Reply { message: "m1" };
    let _ = ledger.once(&key, String::new(), |text, _| async { send(text) }).await?;
    Ok(())
}

fn main() {}
