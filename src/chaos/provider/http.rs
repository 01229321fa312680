//! The provider's HTTP.

use std::io;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{Busy, Met, Shared, reset};
use crate::chaos::faults::{Answer, Moment};
use crate::chaos::request::{self, Request};
use crate::chaos::wire::{Head, Wire};

/// Answers one connection until it ends.
pub(super) async fn talk(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut wire = Wire::new(stream);
    while wire.begins().await? {
        let busy = Busy::begin(shared);
        let head = wire.request().await?;
        let found = shared.actions.iter().find(|(_, action)| request::is(action, &head));
        let stays = match found {
            Some((name, action)) => serve(Met::new(shared, name, action), &head, &mut wire).await?,
            None => stranger(shared, &head, &mut wire).await?,
        };
        drop(busy);
        if !stays || head.closes() {
            break;
        }
    }
    Ok(())
}

/// A request that the plan does not know.
async fn stranger(shared: &Shared, head: &Head, wire: &mut Wire<TcpStream>) -> io::Result<bool> {
    wire.body(head).await?;
    shared.journal.note(None, format!("the provider knows no {} {}, and answered 404", head.method, head.path()));
    let answer = answer(404, "{\"error\":\"the plan has no such request\"}");
    wire.stream.write_all(answer.as_bytes()).await?;
    Ok(true)
}

fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} .\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// A request that the plan knows; whether the connection stays.
async fn serve(mut met: Met<'_>, head: &Head, wire: &mut Wire<TcpStream>) -> io::Result<bool> {
    if !met.reaches(Moment::Begun).await {
        return reset(wire);
    }
    if head.waits() {
        wire.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    wire.half(head).await?;
    if met.doing == Some(Answer::ResetHalf) || !met.reaches(Moment::Half).await {
        return reset(wire);
    }
    let body = wire.body(head).await?;
    let request = Request::read(head, &body);
    let act = request.act(met.action);
    match met.doing {
        Some(Answer::SilentRefused) => {
            met.not_accepted(&act, "and no answer");
            return met.silent(wire).await;
        }
        Some(Answer::Status(status)) => {
            met.not_accepted(&act, &format!("answered {status}"));
            return met.write(wire, &answer(status, "{\"error\":\"not now\"}")).await;
        }
        _ => {}
    }
    let body = met.accept(&request, &act);
    met.reaches(Moment::Accepted).await;
    let stays = match met.doing {
        Some(Answer::SilentAccepted) => met.silent(wire).await?,
        Some(Answer::ResetAccepted) => reset(wire)?,
        Some(Answer::StatusAccepted(status)) => {
            met.write(wire, &answer(status, "{\"error\":\"something failed\"}")).await?
        }
        _ => met.write(wire, &answer(met.action.status, &body)).await?,
    };
    met.reaches(Moment::Answered).await;
    Ok(stays)
}
