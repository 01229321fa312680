// Who is called behind a trait that a function answers with one of several types for, a report's context around it
use error_stack::{Report, ResultExt};
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
struct Charge { key: String }
trait Provider { async fn charge(&self, once: &Once, charge: Charge); }
struct Card;
struct Debit;
struct Test;
impl Provider for Card { async fn charge(&self, once: &Once, charge: Charge) { drop((once, charge)); } }
impl Provider for Debit {
    async fn charge(&self, once: &Once, charge: Charge) {
        let h = reqwest::Client::new();
        once.run(&charge.key, || async { h.post("https://x").send().await }).await;
    }
}
fn provider(name: &str) -> Result<Box<dyn Provider>, Report<Error>> {
    match name {
        "card" => Ok(Box::new(Card)),
        "debit" => Ok(Box::new(Debit)),
        _ => Err(Report::new(Error)),
    }
}
async fn pay(once: &Once, name: &str) -> Result<(), Report<Other>> {
    let provider = provider(name).change_context(Other)?;
    provider.charge(once, Charge { key: uuid::Uuid::new_v4().to_string() }).await; //~ attempt-derived-key
    Ok(())
}
