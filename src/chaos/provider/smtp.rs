//! The provider's SMTP: RFC 5321 as far as clients of a relay speak it, without TLS. Whoever asks for a login is let in.

use std::io;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{Busy, Met, Shared, reset};
use crate::chaos::faults::{Answer, Moment};
use crate::chaos::plan::Route;
use crate::chaos::request::Request;
use crate::chaos::wire::{Head, Wire};

/// Answers one connection until it ends.
pub(super) async fn talk(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut wire = Wire::new(stream);
    say(&mut wire, "220 provider.invalid ESMTP").await?;
    let mut envelope: Vec<(String, String)> = Vec::new();
    while let Some(line) = wire.line().await? {
        let word = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let busy = Busy::begin(shared);
        match word.as_str() {
            "EHLO" => {
                say(&mut wire, "250-provider.invalid\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN").await?
            }
            "AUTH" => login(&mut wire, &line).await?,
            "MAIL" => {
                envelope = vec![("envelope-from".to_owned(), address(&line))];
                say(&mut wire, "250 ok").await?;
            }
            "RCPT" => {
                envelope.push(("envelope-to".to_owned(), address(&line)));
                say(&mut wire, "250 ok").await?;
            }
            "DATA" => {
                if !mail(shared, std::mem::take(&mut envelope), &mut wire).await? {
                    return Ok(());
                }
            }
            "QUIT" => return say(&mut wire, "221 bye").await,
            "HELO" | "RSET" | "NOOP" => say(&mut wire, "250 ok").await?,
            _ => say(&mut wire, "502 not known").await?,
        }
        drop(busy);
    }
    Ok(())
}

async fn say(wire: &mut Wire<TcpStream>, line: &str) -> io::Result<()> {
    wire.stream.write_all(format!("{line}\r\n").as_bytes()).await
}

async fn login(wire: &mut Wire<TcpStream>, line: &str) -> io::Result<()> {
    let words: Vec<&str> = line.split(' ').collect();
    let asks = match words.as_slice() {
        [_, method] if method.eq_ignore_ascii_case("login") => 2,
        [_, _] => 1,
        [_, method, _] if method.eq_ignore_ascii_case("login") => 1,
        _ => 0,
    };
    for _ in 0..asks {
        say(wire, "334 ").await?;
        wire.line().await?;
    }
    say(wire, "235 welcome").await
}

/// `MAIL FROM:<a@b> SIZE=1` and `RCPT TO:<a@b>` without all but the address.
fn address(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(address, _)| address);
    inner.or(line.split_once(':').map(|(_, address)| address.trim())).unwrap_or_default().to_owned()
}

/// A mail; whether the connection stays.
async fn mail(shared: &Shared, envelope: Vec<(String, String)>, wire: &mut Wire<TcpStream>) -> io::Result<bool> {
    let found = shared.actions.iter().find(|(_, action)| action.route == Route::Smtp);
    let Some((name, action)) = found else {
        shared.journal.note(None, "the plan knows no mail, and one was refused");
        say(wire, "554 the plan knows no mail").await?;
        return Ok(true);
    };
    let mut met = Met::new(shared, name, action);
    if !met.reaches(Moment::Begun).await {
        return reset(wire);
    }
    say(wire, "354 go on").await?;
    if !wire.begins().await? || met.doing == Some(Answer::ResetHalf) || !met.reaches(Moment::Half).await {
        return reset(wire);
    }
    let text = wire.mail().await?;
    let (head, body) = parted(envelope, &text);
    let request = Request::text(&head, body);
    let act = request.act(met.action);
    match met.doing {
        Some(Answer::SilentRefused) => {
            met.not_accepted(&act, "and no answer");
            return met.silent(wire).await;
        }
        Some(Answer::Status(status)) => {
            // For now, and for good: the two refusals that the standard has.
            let reply = if status == 429 { "451 not now" } else { "554 refused" };
            met.not_accepted(&act, &format!("answered {reply}"));
            return met.write(wire, &format!("{reply}\r\n")).await;
        }
        _ => {}
    }
    let id = met.accept(&request, &act);
    met.reaches(Moment::Accepted).await;
    let stays = match met.doing {
        Some(Answer::SilentAccepted) => met.silent(wire).await?,
        Some(Answer::ResetAccepted) => reset(wire)?,
        // A reply of failure says by the standard that nothing was taken: it is one that says nothing.
        Some(Answer::StatusAccepted(_)) => met.write(wire, "something failed\r\n").await?,
        _ => met.write(wire, &format!("250 ok {}\r\n", id.replace(['\r', '\n'], " "))).await?,
    };
    met.reaches(Moment::Answered).await;
    Ok(stays)
}

/// A mail's headers, those that are folded on one line, and its text.
fn parted(envelope: Vec<(String, String)>, mail: &str) -> (Head, &str) {
    let (top, body) = mail.split_once("\n\n").unwrap_or((mail, ""));
    let mut headers = envelope;
    for line in top.lines() {
        match (line.starts_with([' ', '\t']), line.split_once(':')) {
            (true, _) => {
                if let Some((_, value)) = headers.last_mut() {
                    *value = format!("{value} {}", line.trim());
                }
            }
            (false, Some((name, value))) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            (false, None) => {}
        }
    }
    (Head { method: "MAIL".to_owned(), headers, ..Head::default() }, body)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::chaos::journal::{Accepted, Journal};
    use crate::chaos::plan::{ActionPlan, Kind, Part};
    use crate::chaos::provider::{Arm, Provider};
    use crate::chaos::template::Template;

    /// What the last line of a mail is answered with, and what the provider has accepted by then.
    async fn sent(arm: Option<Answer>) -> (Option<String>, Vec<Accepted>) {
        let action = ActionPlan {
            route: Route::Smtp,
            kind: Kind::Send,
            act: vec![Part::Header("envelope-to".to_owned())],
            payload: Vec::new(),
            key: Some(Part::Header("message-id".to_owned())),
            honours: None,
            status: 200,
            answer: Template::new("as {message_id}"),
        };
        let journal = Arc::new(Journal::begin());
        let actions = BTreeMap::from([("outreach".to_owned(), action)]);
        let provider = Provider::start(actions, Arc::clone(&journal), Duration::from_millis(50)).await.unwrap();
        let _armed = arm.map(|answer| provider.arm("outreach", Arm::Do(answer)));
        let mut wire = Wire::new(TcpStream::connect(provider.mail).await.unwrap());
        wire.line().await.unwrap();
        for line in ["AUTH PLAIN AGtpbQBwdw==", "MAIL FROM:<a@b>", "RCPT TO:<kim@acme.example>", "DATA"] {
            say(&mut wire, line).await.unwrap();
            wire.line().await.unwrap();
        }
        say(&mut wire, "Message-Id: k\r\n\r\n..Hello\r\n.").await.unwrap();
        let answer = wire.line().await.unwrap_or(None);
        (answer, journal.read().1)
    }

    #[tokio::test]
    async fn a_mail_is_accepted_and_faults_are_as_asked_for() {
        let (answer, accepted) = sent(None).await;
        assert_eq!(answer.as_deref(), Some("250 ok as msg-1"));
        let [mail] = accepted.as_slice() else { panic!("{accepted:?}") };
        assert_eq!(
            (mail.act.as_str(), mail.key.as_deref(), mail.payload.as_str()),
            ("kim@acme.example", Some("k"), "\".Hello\\n\"")
        );
        for (status, reply) in [(429, "451 not now"), (500, "554 refused")] {
            let (answer, accepted) = sent(Some(Answer::Status(status))).await;
            assert_eq!((answer.as_deref(), accepted.len()), (Some(reply), 0));
        }
        let (answer, accepted) = sent(Some(Answer::StatusAccepted(500))).await;
        assert_eq!((answer.as_deref(), accepted.len()), (Some("something failed"), 1));
        let (answer, accepted) = sent(Some(Answer::SilentAccepted)).await;
        assert_eq!((answer, accepted.len()), (None, 1));
        let (answer, accepted) = sent(Some(Answer::ResetHalf)).await;
        assert_eq!((answer, accepted.len()), (None, 0));
    }

    #[test]
    fn a_mail_is_parted() {
        let (head, body) = parted(Vec::new(), "To: a@b\nSubject: long\n  line\n\nHello\n");
        assert_eq!((head.header("to"), head.header("subject"), body), (Some("a@b"), Some("long line"), "Hello\n"));
        assert_eq!(address("RCPT TO:<kim@acme.example> NOTIFY=NEVER"), "kim@acme.example");
        assert_eq!(address("RCPT TO: kim@acme.example"), "kim@acme.example");
    }
}
