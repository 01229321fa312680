//! The fake provider: an append-only log that accepts whatever arrives whole, once more as often as it is asked. Only a
//! provider that the plan says honours keys answers a repeat from memory.

mod http;
mod smtp;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::chaos::faults::{Answer, Moment};
use crate::chaos::journal::{Accepted, Journal};
use crate::chaos::plan::ActionPlan;
use crate::chaos::request::Request;
use crate::chaos::wire::Wire;

/// Into how many pieces a slow answer is cut, and the pause between two.
const PIECES: usize = 8;
const PAUSE: Duration = Duration::from_millis(50);

/// What is to happen to the next request of an action.
pub(super) enum Arm {
    /// Stop at this moment, and wait to be told to go on.
    At(Moment),
    /// Do this.
    Do(Answer),
}

/// A request that has come to its moment; it goes on when it is told, and is let go where it is to be taken no further.
pub(super) struct Hit {
    pub(super) go: oneshot::Sender<Go>,
}

/// How a request goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    /// As if nothing had been.
    On,
    /// It is taken no further.
    No,
}

struct Armed {
    action: String,
    arm: Arm,
    hit: oneshot::Sender<Hit>,
}

/// A running provider.
pub(super) struct Provider {
    /// Where it is, for HTTP.
    pub(super) address: SocketAddr,
    /// Where it takes mail.
    pub(super) mail: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    actions: BTreeMap<String, ActionPlan>,
    journal: Arc<Journal>,
    /// The longest silence.
    silence: Duration,
    state: Mutex<State>,
}

struct State {
    armed: Option<Armed>,
    /// Which event leads to which act.
    expected: HashMap<(String, String), usize>,
    /// What was answered under a key that is honoured.
    honoured: HashMap<(String, String), String>,
    /// Requests that are being read or answered.
    active: usize,
    last: Instant,
}

impl Provider {
    /// Starts it on a free port of this machine; `silence` is how long it says nothing at most.
    pub(super) async fn start(
        actions: BTreeMap<String, ActionPlan>,
        journal: Arc<Journal>,
        silence: Duration,
    ) -> io::Result<Provider> {
        let (http, smtp) = (TcpListener::bind(("127.0.0.1", 0)).await?, TcpListener::bind(("127.0.0.1", 0)).await?);
        let (address, mail) = (http.local_addr()?, smtp.local_addr()?);
        let state =
            State { armed: None, expected: HashMap::new(), honoured: HashMap::new(), active: 0, last: Instant::now() };
        let shared = Arc::new(Shared { actions, journal, silence, state: Mutex::new(state) });
        let (of_http, of_smtp) = (Arc::clone(&shared), Arc::clone(&shared));
        // A worker that is killed ends its connections in every way there is: how they end is of no matter.
        tokio::spawn(async move {
            while let Ok((stream, _)) = http.accept().await {
                let shared = Arc::clone(&of_http);
                tokio::spawn(async move { drop(http::talk(&shared, stream).await) });
            }
        });
        tokio::spawn(async move {
            while let Ok((stream, _)) = smtp.accept().await {
                let shared = Arc::clone(&of_smtp);
                tokio::spawn(async move { drop(smtp::talk(&shared, stream).await) });
            }
        });
        Ok(Provider { address, mail, shared })
    }

    /// Says that an event leads to this act.
    pub(super) fn expect(&self, action: &str, act: &str, event: usize) {
        self.shared.state().expected.insert((action.to_owned(), act.to_owned()), event);
    }

    /// Arms the next request of this action.
    pub(super) fn arm(&self, action: &str, arm: Arm) -> oneshot::Receiver<Hit> {
        let (hit, wait) = oneshot::channel();
        self.shared.state().armed = Some(Armed { action: action.to_owned(), arm, hit });
        wait
    }

    /// Ends what was armed and not met.
    pub(super) fn disarm(&self) {
        self.shared.state().armed = None;
    }

    /// How long nobody has asked for anything; `None` while somebody does.
    pub(super) fn idle(&self) -> Option<Duration> {
        let state = self.shared.state();
        (state.active == 0).then(|| state.last.elapsed())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, action: &str) -> Option<Armed> {
        let mut state = self.state();
        if state.armed.as_ref().is_some_and(|armed| armed.action == action) { state.armed.take() } else { None }
    }
}

/// Counts a request while it is being read or answered.
struct Busy<'a>(&'a Shared);

impl<'a> Busy<'a> {
    fn begin(shared: &'a Shared) -> Busy<'a> {
        shared.state().active += 1;
        Busy(shared)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.active = state.active.saturating_sub(1);
        state.last = Instant::now();
    }
}

/// A request of an action, with what is to happen to it.
struct Met<'a> {
    shared: &'a Shared,
    name: &'a str,
    action: &'a ActionPlan,
    /// Where it is to stop.
    moment: Option<Moment>,
    hit: Option<oneshot::Sender<Hit>>,
    /// What is to be done to it.
    doing: Option<Answer>,
}

impl<'a> Met<'a> {
    fn new(shared: &'a Shared, name: &'a str, action: &'a ActionPlan) -> Met<'a> {
        let mut met = Met { shared, name, action, moment: None, hit: None, doing: None };
        match shared.take(name) {
            Some(Armed { arm: Arm::At(moment), hit, .. }) => (met.moment, met.hit) = (Some(moment), Some(hit)),
            Some(Armed { arm: Arm::Do(answer), hit, .. }) => {
                met.doing = Some(answer);
                // Who armed it is told that it is met; nothing waits for it.
                drop(hit.send(Hit { go: oneshot::channel().0 }));
            }
            None => {}
        }
        met
    }

    /// Stops where it is to stop here, until there is word; whether it goes on.
    async fn reaches(&mut self, moment: Moment) -> bool {
        let Some(hit) = self.hit.take_if(|_| self.moment == Some(moment)) else { return true };
        let (go, wait) = oneshot::channel();
        match hit.send(Hit { go }) {
            Ok(()) => wait.await.unwrap_or(Go::On) == Go::On,
            Err(_) => true,
        }
    }

    fn event(&self, act: &str) -> Option<usize> {
        self.shared.state().expected.get(&(self.name.to_owned(), act.to_owned())).copied()
    }

    fn not_accepted(&self, act: &str, what: &str) {
        self.shared.journal.note(self.event(act), format!("{} {act} not accepted, {what}", self.name));
    }

    /// Takes it into the log, unless this provider honours its key and knows it; what is answered.
    fn accept(&self, request: &Request<'_>, act: &str) -> String {
        let (name, event) = (self.name, self.event(act));
        let honoured = self.action.honours.as_ref().and_then(|part| request.part(part));
        let under = honoured.map(|key| (name.to_owned(), key));
        if let Some(answer) = under.as_ref().and_then(|under| self.shared.state().honoured.get(under).cloned()) {
            let text = format!("{name} {act} came again under a key that is honoured, and had no second effect");
            self.shared.journal.note(event, text);
            return answer;
        }
        let message_id = self.shared.journal.accept(Accepted {
            at_ms: 0,
            action: name.to_owned(),
            act: act.to_owned(),
            event,
            key: self.action.key.as_ref().and_then(|part| request.part(part)),
            payload: request.payload(self.action),
            message_id: String::new(),
        });
        self.shared.journal.note(event, format!("{name} {act} accepted as {message_id}"));
        let answer = self.action.answer.fill(&[("message_id", message_id.into())]);
        if let Some(under) = under {
            self.shared.state().honoured.insert(under, answer.clone());
        }
        answer
    }

    /// Says nothing until the other side gives up, or for as long as silence lasts.
    async fn silent(&self, wire: &mut Wire<TcpStream>) -> io::Result<bool> {
        let _ = tokio::time::timeout(self.shared.silence, wire.gone()).await;
        reset(wire)
    }

    /// Writes an answer whole, or as this request is to be answered; whether the connection stays.
    async fn write(&self, wire: &mut Wire<TcpStream>, answer: &str) -> io::Result<bool> {
        let octets = answer.as_bytes();
        match self.doing {
            Some(Answer::CutAnswer) => {
                wire.stream.write_all(octets.get(..octets.len() - 2).unwrap_or_default()).await?;
                wire.stream.flush().await?;
                // What is reset at once is not read at all.
                tokio::time::sleep(PAUSE).await;
                return reset(wire);
            }
            Some(Answer::SlowAnswer) => {
                for piece in octets.chunks(octets.len().div_ceil(PIECES).max(1)) {
                    wire.stream.write_all(piece).await?;
                    wire.stream.flush().await?;
                    tokio::time::sleep(PAUSE).await;
                }
            }
            _ => {
                wire.stream.write_all(octets).await?;
                wire.stream.flush().await?;
            }
        }
        Ok(true)
    }
}

/// Ends the connection so that the other side sees a reset.
fn reset(wire: &mut Wire<TcpStream>) -> io::Result<bool> {
    wire.stream.set_zero_linger()?;
    Ok(false)
}
