//! A provider that forgets nothing and merges nothing: an append-only log of what it accepted. What it accepts
//! twice has happened twice.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What happened at the provider.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub(crate) action_type: String,
    pub(crate) key: String,
    pub(crate) payload: Value,
    pub(crate) message_id: String,
}

/// How it meets a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    /// Accepts it and says so.
    Accept,
    /// Accepts it and hangs up.
    AcceptAndDrop,
    /// Accepts it and answers after this.
    AcceptAndDelay(Duration),
    /// Accepts it and never answers.
    AcceptAndHold,
    /// Accepts it and answers with this status all the same.
    AcceptAndSay(u16),
    /// Accepts it and answers with what is no answer.
    AcceptAndMumble,
    /// Answers with this status and does nothing.
    Say(u16),
    /// Ends the connection before it has read the request.
    Reset,
}

#[derive(Default)]
struct State {
    log: Vec<Accepted>,
    orders: BTreeMap<String, VecDeque<Manner>>,
    moods: Vec<Manner>,
    requests: usize,
}

/// The provider, for as long as the test's runtime lives.
#[derive(Clone)]
pub(crate) struct Provider {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
    heard: Arc<Notify>,
}

impl Provider {
    /// One that accepts.
    pub(crate) async fn start() -> Provider {
        Provider::with_moods(&[Manner::Accept]).await
    }

    /// One that meets requests in these manners, one after another and from the start again.
    pub(crate) async fn with_moods(moods: &[Manner]) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State { moods: moods.to_vec(), ..State::default() }));
        let provider = Provider { address, state, heard: Arc::default() };
        let own = provider.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let own = own.clone();
                tokio::spawn(async move { own.answer(stream).await });
            }
        });
        provider
    }

    /// Meets the next request for this key so.
    pub(crate) fn order(&self, key: &str, manner: Manner) {
        self.state.lock().unwrap().orders.entry(key.to_owned()).or_default().push_back(manner);
    }

    /// Everything that it accepted, in order.
    pub(crate) fn log(&self) -> Vec<Accepted> {
        self.state.lock().unwrap().log.clone()
    }

    /// The message ids that it gave for this key, as a person who looks it up sees them.
    pub(crate) fn look_up(&self, key: &str) -> Vec<String> {
        self.log().into_iter().filter(|accepted| accepted.key == key).map(|accepted| accepted.message_id).collect()
    }

    /// Waits until it has accepted something for this key; the message id.
    pub(crate) async fn accepted(&self, key: &str) -> String {
        loop {
            let heard = self.heard.notified();
            if let Some(message_id) = self.look_up(key).pop() {
                return message_id;
            }
            heard.await;
        }
    }

    async fn answer(&self, mut stream: TcpStream) {
        // A worker that dies half-way leaves a request that never ends: then nothing happened.
        let Some((head, first)) = read_head(&mut stream).await else { return };
        let mut path = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').split('/');
        let (action_type, key) = (path.next().unwrap_or_default(), path.next().unwrap_or_default());
        let manner = self.manner(key);
        if matches!(manner, Manner::Reset) {
            // Unread octets make this a reset and not an orderly end.
            return;
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        let mut body = first;
        let missing = length.parse::<usize>().unwrap().saturating_sub(body.len());
        let mut rest = vec![0; missing];
        if stream.read_exact(&mut rest).await.is_err() {
            return;
        }
        body.extend(rest);
        let message_id = match manner {
            Manner::Say(_) | Manner::Reset => String::new(),
            _ => self.accept(action_type, key, serde_json::from_slice(&body).unwrap()),
        };
        match manner {
            Manner::AcceptAndDrop | Manner::Reset => return,
            Manner::AcceptAndHold => std::future::pending().await,
            Manner::AcceptAndDelay(delay) => tokio::time::sleep(delay).await,
            _ => {}
        }
        let (status, text) = match manner {
            Manner::Say(status) | Manner::AcceptAndSay(status) => (status, "{}".to_owned()),
            Manner::AcceptAndMumble => (200, "<html>".to_owned()),
            _ => (200, serde_json::json!({"id": message_id}).to_string()),
        };
        let answer = format!("HTTP/1.1 {status} so\r\ncontent-length: {}\r\n\r\n{text}", text.len());
        let _ = stream.write_all(answer.as_bytes()).await;
    }

    fn manner(&self, key: &str) -> Manner {
        let mut state = self.state.lock().unwrap();
        state.requests += 1;
        let mood = state.moods[(state.requests - 1) % state.moods.len()];
        state.orders.get_mut(key).and_then(VecDeque::pop_front).unwrap_or(mood)
    }

    fn accept(&self, action_type: &str, key: &str, payload: Value) -> String {
        let mut state = self.state.lock().unwrap();
        let message_id = format!("m-{}", state.log.len() + 1);
        let (action_type, key) = (action_type.to_owned(), key.to_owned());
        state.log.push(Accepted { action_type, key, payload, message_id: message_id.clone() });
        drop(state);
        self.heard.notify_waiters();
        message_id
    }
}

/// Reads up to the end of the headers: them, and what came of the body with them.
async fn read_head(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let (mut octets, mut chunk) = (Vec::new(), [0; 64]);
    loop {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        octets.extend_from_slice(&chunk[..read]);
        if let Some(end) = octets.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&octets[..end]).into_owned();
            return Some((head, octets.split_off(end + 4)));
        }
    }
}
