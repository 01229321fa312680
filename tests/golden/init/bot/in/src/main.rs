//! Mails an offer, and pages somebody.
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};

async fn offer(mailer: &AsyncSmtpTransport<Tokio1Executor>, mail: Message) {
    let _ = mailer.send(mail).await;
}

async fn page(http: &reqwest::Client, incident: &str) {
    let _ = http.post("https://hooks.slack.com/services/T0/B0").body(incident.to_owned()).send().await;
}

async fn status(http: &reqwest::Client) -> bool {
    http.get("https://status.example.com").send().await.is_ok()
}

fn main() {}
