//! Drives a run: event after event, each with what goes wrong around it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::{JoinHandle, spawn_blocking};

use crate::chaos::book;
use crate::chaos::event::Event;
use crate::chaos::faults::{Answer, Kind, Moment, Round, Signal};
use crate::chaos::hold::Hold;
use crate::chaos::journal::Journal;
use crate::chaos::keeper::Keeper;
use crate::chaos::plan::{Book, Plan};
use crate::chaos::provider::{Arm, Go, Hit, Provider};
use crate::chaos::server::Server;
use crate::chaos::worker::{Starter, Worker};
use crate::diagnostic::Fault;

/// How long nobody asks the provider for anything before all effects of a delivery are taken to be over.
pub(super) const QUIET: Duration = Duration::from_millis(60);
/// How often an event that is not taken is delivered again, and the pause before each.
const DELIVERIES: usize = 10;
const AGAIN: Duration = Duration::from_millis(200);
/// How long the provider takes for the first request of an event that comes three times at once.
const LATENCY: Duration = Duration::from_millis(300);
/// How soon after the delivery a worker without a ledger is hit before its request.
const SOON: Duration = Duration::from_millis(3);

/// The parts of a run, all of them up.
pub(super) struct Drive<'a> {
    pub(super) plan: &'a Plan,
    pub(super) journal: &'a Journal,
    pub(super) provider: &'a Provider,
    pub(super) keeper: Arc<Keeper>,
    pub(super) server: Option<Arc<Mutex<Server>>>,
    pub(super) starter: Starter<'a>,
    pub(super) worker: Worker,
    /// Every event so far.
    pub(super) events: Vec<Event>,
    /// Whether the faults of the rounds so far have come about.
    pub(super) met: Vec<bool>,
}

/// A moment that has come, and what waits for us in it.
enum Placed {
    /// Nothing.
    Free,
    /// The request at the provider.
    Halted(Hit),
    /// The record in the ledger.
    Held(Hold),
}

impl Placed {
    async fn release(self, word: Go) {
        match self {
            Placed::Free => {}
            Placed::Halted(hit) => drop(hit.go.send(word)),
            // What a dead worker has asked the server for is not done.
            Placed::Held(hold) => hold.release(word == Go::No).await,
        }
    }
}

pub(super) type Delivery = JoinHandle<Result<u16, String>>;

impl Drive<'_> {
    /// One round: an event, and what goes wrong around it.
    pub(super) async fn round(&mut self, round: &Round, event: Event) -> Result<(), Fault> {
        for expected in &event.expected {
            self.provider.expect(&expected.provider, &expected.act, event.number);
        }
        self.events.push(event);
        let at = self.events.len() - 1;
        let met = match round.fault.kind {
            Kind::InTurn => self.in_turn(at).await,
            Kind::AtOnce => self.at_once(round, at).await,
            Kind::Signal(signal, moment) => self.signal(round, at, signal, moment).await?,
            Kind::Answer(answer) => self.answer(round, at, answer).await,
            Kind::Postgres => self.postgres(round, at).await?,
        };
        self.met.push(met);
        self.up().await?;
        self.taken(at).await;
        self.quiet().await;
        self.up().await
    }

    /// Starts the worker again when it has ended by itself.
    pub(super) async fn up(&mut self) -> Result<(), Fault> {
        if self.worker.has_ended() {
            self.journal.note(None, "the worker has ended by itself");
            self.start().await?;
        }
        Ok(())
    }

    async fn start(&mut self) -> Result<(), Fault> {
        self.worker = self.starter.start().await?;
        self.journal.note(self.events.last().map(|event| event.number), "the worker is up again");
        Ok(())
    }

    /// How long a request is waited for.
    fn patience(&self) -> Duration {
        self.plan.worker.acts_within
    }

    fn number(&self, at: usize) -> Option<usize> {
        self.events.get(at).map(|event| event.number)
    }

    fn url(&self) -> String {
        self.plan.webhook.url.fill(&self.starter.values_with(self.worker.port))
    }

    pub(super) fn deliver(&self, at: usize) -> Option<Delivery> {
        // Longer than the provider's longest silence: a worker may answer after its send.
        let patience = self.plan.settle + Duration::from_secs(10);
        let delivery = self.events.get(at)?.deliver(self.url(), patience);
        self.journal.note(self.number(at), "delivered to the worker");
        Some(tokio::spawn(delivery))
    }

    /// Waits for the worker's answer to a delivery; whether it took the event.
    pub(super) async fn answered(&mut self, at: usize, delivery: Option<Delivery>) -> bool {
        let Some(delivery) = delivery else { return false };
        let answer = delivery.await.unwrap_or_else(|error| Err(error.to_string()));
        let number = self.number(at);
        let taken = matches!(answer, Ok(200..=299));
        match answer {
            Ok(status) => self.journal.note(number, format!("the worker answered the delivery with {status}")),
            Err(why) => self.journal.note(number, format!("the worker did not answer the delivery: {why}")),
        }
        if let Some(event) = self.events.get_mut(at).filter(|_| taken) {
            event.expected.iter_mut().for_each(|expected| expected.acknowledged = true);
        }
        taken
    }

    /// Delivers the event until it is taken, as platforms do, and once where it was taken before.
    async fn taken(&mut self, at: usize) {
        for _ in 0..DELIVERIES {
            let delivery = self.deliver(at);
            if self.answered(at, delivery).await {
                return;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Waits until nobody has asked the provider for anything for a while.
    pub(super) async fn quiet(&self) {
        let limit = Instant::now() + self.plan.settle + self.patience();
        while self.provider.idle().is_none_or(|idle| idle < QUIET) && Instant::now() < limit {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until all that has to come of the event has come, or for as long as that may take.
    async fn effects(&self, at: usize) {
        let limit = Instant::now() + self.patience();
        let all = || {
            self.events.get(at).is_none_or(|event| {
                event.expected.iter().all(|act| act.model || self.journal.has(&act.provider, &act.act))
            })
        };
        while !all() && Instant::now() < limit {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.quiet().await;
    }

    async fn in_turn(&mut self, at: usize) -> bool {
        for time in ["first", "second", "third"] {
            self.journal.fault(self.number(at), format!("replay-in-turn: the {time} of three"));
            let delivery = self.deliver(at);
            self.answered(at, delivery).await;
            self.effects(at).await;
        }
        true
    }

    async fn at_once(&mut self, round: &Round, at: usize) -> bool {
        self.journal.fault(self.number(at), "replay-at-once: three at once");
        let hit = self.provider.arm(self.hit(round), Arm::At(Moment::Accepted));
        let deliveries = [self.deliver(at), self.deliver(at), self.deliver(at)];
        // A provider takes its time, and others come meanwhile.
        match tokio::time::timeout(self.patience(), hit).await {
            Ok(Ok(hit)) => {
                tokio::time::sleep(LATENCY).await;
                let _ = hit.go.send(Go::On);
            }
            _ => self.provider.disarm(),
        }
        for delivery in deliveries {
            self.answered(at, delivery).await;
        }
        self.effects(at).await;
        true
    }

    async fn signal(&mut self, round: &Round, at: usize, signal: Signal, moment: Moment) -> Result<bool, Fault> {
        let (delivery, placed) = self.place(round, at, moment).await;
        let Some(placed) = placed else { return Ok(self.missed(round, at, delivery).await) };
        let number = self.number(at);
        self.journal.fault(number, format!("{}: {}", round.fault.name, round.fault.says));
        self.worker.signal(signal);
        match signal {
            Signal::Kill => {
                self.worker.end(self.plan.worker.stop_within).await;
                self.keeper.worker(None);
                placed.release(Go::No).await;
                self.start().await?;
            }
            Signal::Terminate => {
                placed.release(Go::On).await;
                if !self.worker.end(self.plan.worker.stop_within).await {
                    self.journal.fault(number, "it did not end in time, and was killed");
                }
                self.keeper.worker(None);
                self.start().await?;
            }
            Signal::Stop => {
                self.worker.stands_still().await;
                placed.release(Go::On).await;
                return self.stopped(at, delivery).await.map(|()| true);
            }
        }
        self.answered(at, delivery).await;
        self.quiet().await;
        Ok(true)
    }

    /// The worker stays stopped past its deadline, while another takes its place and the event; then it goes on.
    async fn stopped(&mut self, at: usize, delivery: Option<Delivery>) -> Result<(), Fault> {
        let number = self.number(at);
        let alone = !self.plan.worker.takes_port();
        let mut first = None;
        if !alone {
            self.keeper.stopped(self.worker.group());
            let second = self.starter.start().await?;
            self.journal.note(number, "another worker is up beside it");
            first = Some(std::mem::replace(&mut self.worker, second));
            self.taken(at).await;
        }
        tokio::time::sleep(self.plan.settle).await;
        self.sweep().await?;
        if !alone {
            self.taken(at).await;
            self.quiet().await;
        }
        self.journal.fault(number, "it goes on");
        first.as_ref().unwrap_or(&self.worker).go_on();
        self.answered(at, delivery).await;
        self.quiet().await;
        if let Some(mut first) = first {
            first.signal(Signal::Terminate);
            first.end(self.plan.worker.stop_within).await;
            self.keeper.stopped(None);
        }
        Ok(())
    }

    /// Delivers the event and waits for the moment; none when it does not come.
    async fn place(&self, round: &Round, at: usize, moment: Moment) -> (Option<Delivery>, Option<Placed>) {
        if moment == Moment::Reserved {
            let watch = self.watch(at, self.hit(round)).await;
            let delivery = self.deliver(at);
            return (delivery, watch.await.unwrap_or(false).then_some(Placed::Free));
        }
        // With a ledger the record can be held back, so that what comes after the answer is met exactly.
        let row = self.row(at, self.hit(round)).filter(|_| moment == Moment::Answered);
        let armed = if row.is_some() { Moment::Accepted } else { moment };
        let (delivery, hit) = self.caught(round, at, Arm::At(armed)).await;
        let Some(hit) = hit else { return (delivery, None) };
        let (Some((action, key)), Some(server)) = (row, &self.server) else {
            return (delivery, Some(Placed::Halted(hit)));
        };
        let mut hold = Hold::take(Arc::clone(server), self.plan.ledger.clone(), action, key).await;
        let _ = hit.go.send(Go::On);
        let comes = hold.waited_for().await;
        let text =
            if comes { "the worker comes to record it, and is held" } else { "the worker does not come to record it" };
        self.journal.note(self.number(at), text);
        (delivery, Some(Placed::Held(hold)))
    }

    /// Delivers the event and waits for its request at the provider; none when it does not come.
    async fn caught(&self, round: &Round, at: usize, arm: Arm) -> (Option<Delivery>, Option<Hit>) {
        let hit = self.provider.arm(self.hit(round), arm);
        let delivery = self.deliver(at);
        let hit = tokio::time::timeout(self.patience(), hit).await;
        (delivery, hit.ok().and_then(Result::ok))
    }

    /// The ledger's row of the act that is hit: its action type and key.
    fn row(&self, at: usize, provider: &str) -> Option<(String, String)> {
        let act = self.events.get(at)?.expected.iter().find(|act| act.provider == provider)?;
        Some((act.action.clone(), act.key.clone()?)).filter(|_| self.plan.ledger != Book::None)
    }

    async fn missed(&mut self, round: &Round, at: usize, delivery: Option<Delivery>) -> bool {
        self.provider.disarm();
        let text = format!("{}: its moment did not come, and nothing was done", round.fault.name);
        self.journal.note(self.number(at), text);
        self.answered(at, delivery).await;
        false
    }

    fn hit(&self, round: &Round) -> &str {
        self.plan.hit.get(round.hit).map(String::as_str).unwrap_or_default()
    }

    /// Watches the ledger for the key of the act that is hit; what it gives ends when the key is there, or never comes.
    async fn watch(&self, at: usize, provider: &str) -> JoinHandle<bool> {
        let (Some((action, key)), Some(server)) = (self.row(at, provider), &self.server) else {
            return tokio::spawn(async {
                tokio::time::sleep(SOON).await;
                true
            });
        };
        let (server, book, patience) = (Arc::clone(server), self.plan.ledger.clone(), self.patience());
        let (ready, wait) = tokio::sync::oneshot::channel();
        let watch = spawn_blocking(move || {
            let client = server.lock().unwrap_or_else(PoisonError::into_inner).client();
            let _ = ready.send(());
            let Ok(mut client) = client else { return false };
            let limit = Instant::now() + patience;
            while Instant::now() < limit {
                match book::has(&book, &action, &key, &mut client) {
                    Ok(true) => return true,
                    Ok(false) => {}
                    Err(_) => return false,
                }
            }
            false
        });
        // Only once it is looking is the event delivered.
        let _ = wait.await;
        watch
    }

    async fn answer(&mut self, round: &Round, at: usize, answer: Answer) -> bool {
        let (delivery, hit) = self.caught(round, at, Arm::Do(answer)).await;
        // It is answered as it was told, and waits for no word of ours.
        if hit.map(drop).is_none() {
            return self.missed(round, at, delivery).await;
        }
        self.journal.fault(self.number(at), format!("{}: {}", round.fault.name, round.fault.says));
        self.quiet().await;
        self.answered(at, delivery).await;
        self.quiet().await;
        true
    }

    async fn postgres(&mut self, round: &Round, at: usize) -> Result<bool, Fault> {
        let (delivery, hit) = self.caught(round, at, Arm::At(Moment::Accepted)).await;
        let (Some(hit), Some(server)) = (hit, self.server.clone()) else {
            return Ok(self.missed(round, at, delivery).await);
        };
        let keeper = Arc::clone(&self.keeper);
        let crash = move || server.lock().unwrap_or_else(PoisonError::into_inner).crash(&keeper);
        let crashed = blocking(crash).await?;
        let number = self.number(at);
        if crashed {
            self.journal.fault(number, format!("{}: {}", round.fault.name, round.fault.says));
        } else {
            self.journal.note(number, "a server that is given is not stopped");
        }
        let _ = hit.go.send(Go::On);
        self.answered(at, delivery).await;
        self.quiet().await;
        Ok(crashed)
    }
}

/// Does what blocks beside the runtime.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(Fault::new(format!("a step of the run was ended: {error}"))))
}
