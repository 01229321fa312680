// Keys out of a model's mouth.
use crate::onlyonce::{Ledger, Receipt, keys};
async fn ask(h: &reqwest::Client, text: &str) -> String {
    h.post("https://api.openai.com/v1/responses").body(text.to_owned()).send().await.unwrap().text().await.unwrap()
}
struct Plan { id: String, words: String }
async fn plan(h: &reqwest::Client, id: &str) -> Plan { Plan { id: id.to_owned(), words: ask(h, "x").await } }

async fn plainly(ledger: &Ledger, h: &reqwest::Client) {
    let words = ask(h, "x").await;
    let key = keys::SendReply { inbound_message_id: &words, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await; //~ model-derived-key
}
async fn by_field(ledger: &Ledger, h: &reqwest::Client) {
    let plan = plan(h, "1").await;
    let name = format!("mail-{}", plan.words);
    let key = keys::SendReply { inbound_message_id: &name, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await; //~ model-derived-key
}
async fn by_other_field(ledger: &Ledger, h: &reqwest::Client) {
    let plan = plan(h, "1").await;
    let key = keys::SendReply { inbound_message_id: &plan.id, conversation_step: 1 };
    let _ = ledger.once(&key, plan.words, |words, _| async move { h.post("https://x").body(words).send().await }).await;
}
struct SendMail { ledger: Ledger }
impl rig::tool::Tool for SendMail {
    async fn call(&self, args: Self::Args) -> Result<(), ()> {
        let subject = args.subject;
        let _ = self.ledger.once(&keys::SendReply { inbound_message_id: &subject, conversation_step: 1 }, (), |(), _| async { Ok(Receipt::accepted()) }).await; //~ model-derived-key
        Ok(())
    }
}
async fn by_header(h: &reqwest::Client) {
    let words = ask(h, "x").await;
    let _ = h.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", words).send().await; //~ model-derived-key
}
