// One field of what is made anew may be as it was.
use crate::onlyonce::{Ledger, Receipt, keys};
struct Run { order: String, started: std::time::SystemTime, nonce: String }
impl Run {
    fn new(order: &str) -> anyhow::Result<Self> {
        Ok(Self { order: order.to_owned(), started: std::time::SystemTime::now(), nonce: nanoid::nanoid!() }) //~ attempt-derived-key
    }
}
async fn steady(ledger: &Ledger, id: &str) -> anyhow::Result<()> {
    let run = Run::new(id)?;
    let key = keys::SendReply { inbound_message_id: &run.order, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
async fn fresh(ledger: &Ledger, id: &str) -> anyhow::Result<()> {
    let run = Run::new(id)?;
    let key = keys::SendReply { inbound_message_id: &run.nonce, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
