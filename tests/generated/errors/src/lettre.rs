use std::net::SocketAddr;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::{AsyncSmtpTransport, Error};
use lettre::{AsyncTransport as _, Message, Tokio1Executor};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::{certain, nobody, serve};

/// A server that answers as one does, but to the lines that begin so. An empty answer closes the connection.
async fn answering(begin: &'static str, answer: &'static str) -> SocketAddr {
    serve(async move |connection| {
        let (read, mut write) = connection.into_split();
        let mut lines = BufReader::new(read).lines();
        let mut say = async |text: &str| write.write_all(format!("{text}\r\n").as_bytes()).await.is_ok();
        say("220 ready").await;
        let mut data = false;
        while let Ok(Some(line)) = lines.next_line().await {
            let ends = line == ".";
            let usual = match line.get(..4).unwrap_or_default() {
                _ if data && !ends => continue,
                "EHLO" => "250-here\r\n250 AUTH PLAIN",
                "AUTH" => "235 known",
                "DATA" => "354 go on",
                _ => "250 ok",
            };
            data = usual.starts_with("354") && !line.starts_with(begin);
            let said = if line.starts_with(begin) { answer } else { usual };
            if said.is_empty() || !say(said).await {
                return;
            }
        }
    })
    .await
}

async fn send(host: &str, port: u16) -> Error {
    let address: Mailbox = "ann@example.com".parse().unwrap();
    let message = Message::builder().from(address.clone()).to(address).body("hello".to_owned()).unwrap();
    let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
        .port(port)
        .credentials(Credentials::new("ann".to_owned(), "secret".to_owned()))
        .timeout(Some(Duration::from_secs(2)))
        .build();
    transport.send(message).await.unwrap_err()
}

#[tokio::test]
async fn what_the_server_answers() {
    for (begin, answer, expected) in [
        ("AUTH", "535 who are you", "not attempted"),
        ("AUTH", "530 log in", "not attempted"),
        ("AUTH", "534 too weak", "not attempted"),
        ("AUTH", "538 in the open", "not attempted"),
        ("AUTH", "454 not now", "not attempted"),
        ("EHLO", "250 here", "not attempted"),
        ("EHLO", "421 closing", "not attempted"),
        ("MAIL", "452 full", "not attempted"),
        ("RCPT", "450 busy", "not attempted"),
        (".", "451 not now", "not attempted"),
        ("RCPT", "550 nobody of that name", "rejected"),
        (".", "554 spam", "rejected"),
        (".", "", "unknown"),
        (".", "nonsense", "unknown"),
    ] {
        let at = answering(begin, answer).await;
        let error = send("127.0.0.1", at.port()).await;
        let told = format!("{begin} {answer}: {error:?}");
        assert_eq!(certain(error), expected, "{told}");
    }
}

#[tokio::test]
async fn a_connection_that_never_stood_and_an_answer_that_never_came() {
    assert_eq!(certain(send("127.0.0.1", nobody().await.port()).await), "not attempted");
    assert_eq!(certain(send("nobody.invalid", 25).await), "not attempted");
    let silent = serve(async |connection| {
        tokio::time::sleep(Duration::from_secs(3)).await;
        drop(connection);
    });
    assert_eq!(certain(send("127.0.0.1", silent.await.port()).await), "unknown");
}

#[test]
fn what_is_no_message() {
    assert_eq!(certain("nobody".parse::<lettre::Address>().unwrap_err()), "not attempted");
    assert_eq!(certain(Message::builder().body(String::new()).unwrap_err()), "not attempted");
}
