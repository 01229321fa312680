// Glob import and prelude: resolve against the catalog's list of exported names for the crate. SEND
use lettre::*;
async fn mail(t: &AsyncSmtpTransport<Tokio1Executor>, m: Message) -> bool {
    t.send(m).await.is_ok() //~ SEND
}
