//! The acceptance run: a worker under test between a fake webhook platform, a fake provider and a database that can
//! crash, and a verdict from what the provider accepted against what the ledger says.
//!
//! [`plan`] is the file that a team writes, [`faults`] the rounds that follow from it and a seed. Everything between is
//! driven by one task: start, rounds, settle, judge. The provider is an append-only log and not idempotent; it knows
//! the moments of a request exactly, so the worker is hit there without its help. [`verdict`] is pure.
//!
//! To add a fault: a line in [`faults::ALL`], and what the provider or the driver does for it.

mod book;
mod drive;
mod event;
pub mod faults;
mod hold;
pub mod journal;
mod keeper;
pub mod plan;
mod provider;
mod request;
mod server;
mod settle;
mod setup;
pub mod template;
pub mod verdict;
mod wire;
mod worker;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::chaos::book::Said;
use crate::chaos::drive::{Drive, blocking};
use crate::chaos::event::Event;
use crate::chaos::faults::Round;
use crate::chaos::journal::{Accepted, Journal, Line};
use crate::chaos::keeper::Keeper;
use crate::chaos::plan::{Book, Plan};
use crate::chaos::provider::Provider;
use crate::chaos::server::Server;
use crate::chaos::verdict::{Evidence, Expected, Finding, Kind, Waiting};
use crate::chaos::worker::Starter;
use crate::diagnostic::{Fault, Faults};
use crate::duration;

/// What a run is told beside its plan.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// In place of the plan's seed.
    pub seed: u64,
    /// How often the plan's counts are repeated.
    pub times: u32,
    /// A server on which the run gets a database of its own; without it a server is started.
    pub database_url: Option<&'a str>,
    /// Our environment, of which the worker gets what the plan names.
    pub environment: &'a [(OsString, OsString)],
    /// Now.
    pub now: jiff::Timestamp,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The database and the worker start.
    Starting,
    /// So many rounds of so many are over; the next has this fault.
    Round(usize, usize, &'static str),
    /// Deadlines are waited for.
    Settling,
}

/// What a run has shown.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan's name.
    pub plan: String,
    /// The seed that gives the same rounds again.
    pub seed: u64,
    /// When it began.
    pub began: jiff::Timestamp,
    /// How long it took.
    pub took: Duration,
    /// Its rounds, and whether the fault of each has come about.
    pub rounds: Vec<(Round, bool)>,
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
    /// What waits for a person; no failure.
    pub waiting: Vec<Waiting>,
    /// What the provider accepted, in order: the oracle.
    pub accepted: Vec<Accepted>,
    /// How many acts had to come of the events, model calls left out.
    pub expected: usize,
    /// How many accepted requests no event leads to.
    pub strange: usize,
    /// Whether a ledger was read.
    pub ledger: bool,
    /// All that happened.
    pub lines: Vec<Line>,
    /// What the worker said.
    pub worker_log: String,
}

/// Runs a plan.
///
/// # Errors
/// When something could not be started, the time is over, or the run was interrupted; nothing that it started is left.
pub fn run(asked: &Asked<'_>, told: &(dyn Fn(Progress) + Sync)) -> Result<Outcome, Faults> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(format!("no threads could be started: {error}")))?;
    let journal = Arc::new(Journal::begin());
    let expected = Mutex::new(Vec::new());
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = whole(asked, &journal, &expected, told) => outcome,
            () = tokio::time::sleep(asked.plan.time_limit) => Err(out_of_time(asked, &journal, &expected)),
            interrupted = interruption() => Err(interrupted),
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    Ok(outcome?)
}

async fn interruption() -> Fault {
    use tokio::signal::unix::{SignalKind, signal};
    let mut kinds = Vec::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        match signal(kind) {
            Ok(signal) => kinds.push(signal),
            Err(error) => return Fault::new(format!("signals cannot be waited for: {error}")),
        }
    }
    let [interrupt, terminate, hangup] = kinds.as_mut_slice() else { return std::future::pending().await };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Fault::new("the run was interrupted").with_help("nothing that it started is left; the same seed gives the same run")
}

fn out_of_time(asked: &Asked<'_>, journal: &Journal, expected: &Mutex<Vec<Expected>>) -> Fault {
    let expected = expected.lock().unwrap_or_else(PoisonError::into_inner);
    let (lines, accepted) = journal.read();
    let evidence = Evidence { expected: &expected, accepted: &accepted, lines: &lines, ..Evidence::default() };
    let found = verdict::judge(&evidence);
    let duplicates = found.iter().filter(|finding| finding.kind == Kind::Duplicate).count();
    let limit = duration::format(asked.plan.time_limit);
    let events = expected.last().map_or(0, |last| last.event);
    Fault::new(format!("the time limit of {limit} was over in round {events}, with {duplicates} duplicates by then"))
        .with_help("raise time_limit, or take faults out of the plan; nothing was judged but duplicates")
}

/// Start, rounds, settle, judge.
async fn whole(
    asked: &Asked<'_>,
    journal: &Arc<Journal>,
    known: &Mutex<Vec<Expected>>,
    told: &(dyn Fn(Progress) + Sync),
) -> Result<Outcome, Fault> {
    let plan = asked.plan;
    told(Progress::Starting);
    let place = tempfile::Builder::new().prefix("onlyonce-chaos-").tempdir();
    let place = place.map_err(|error| Fault::new(format!("no temporary folder could be made: {error}")))?;
    let keeper = Arc::new(Keeper::start()?);
    keeper.folder(place.path());
    let server = database(asked, place.path().to_owned(), Arc::clone(&keeper)).await?;
    let provider = Provider::start(plan.actions.clone(), Arc::clone(journal), plan.settle).await;
    let provider = provider.map_err(|error| Fault::new(format!("the provider could not be started: {error}")))?;
    let mut values =
        vec![("provider_url", format!("http://{}", provider.address)), ("smtp_port", provider.mail.port().to_string())];
    if let Some(server) = &server {
        values.push(("database_url", server.lock().unwrap_or_else(PoisonError::into_inner).url.clone()));
    }
    let log = place.path().join("worker.log");
    let starter =
        Starter { plan: &plan.worker, environment: asked.environment, keeper: &keeper, log: log.clone(), values };
    let worker = starter.start().await?;
    let mut drive = Drive {
        plan,
        journal,
        provider: &provider,
        keeper: Arc::clone(&keeper),
        server,
        starter,
        worker,
        events: Vec::new(),
        met: Vec::new(),
    };
    let rounds = faults::rounds(plan, asked.seed, asked.times);
    for (at, round) in rounds.iter().enumerate() {
        told(Progress::Round(at, rounds.len(), round.fault.name));
        let Some(event) = Event::of(plan, round, asked.now.as_second()) else { continue };
        known.lock().unwrap_or_else(PoisonError::into_inner).extend(event.expected.iter().cloned());
        drive.round(round, event).await?;
    }
    told(Progress::Settling);
    let said = drive.settle().await?;
    let worker_log = std::fs::read(&log).map(|log| String::from_utf8_lossy(&log).into_owned()).unwrap_or_default();
    let expected: Vec<Expected> = drive.events.iter().flat_map(|event| event.expected.iter().cloned()).collect();
    let met = std::mem::take(&mut drive.met);
    let outcome = judged(asked, journal, &expected, said, rounds.into_iter().zip(met).collect());
    // The worker and the database end before the folder that they write to goes.
    end(drive).await;
    keeper_done(&keeper, place);
    outcome.map(|outcome| Outcome { worker_log, ..outcome })
}

async fn end(drive: Drive<'_>) {
    let Drive { worker, server, .. } = drive;
    drop(worker);
    // Stopping a server takes a moment, which must not be the runtime's.
    let _ = blocking(move || {
        drop(server);
        Ok(())
    })
    .await;
}

fn keeper_done(keeper: &Keeper, place: tempfile::TempDir) {
    keeper.server(None);
    drop(place);
    keeper.folder(std::path::Path::new(""));
}

async fn database(
    asked: &Asked<'_>,
    folder: PathBuf,
    keeper: Arc<Keeper>,
) -> Result<Option<Arc<Mutex<Server>>>, Fault> {
    let Some(plan) = asked.plan.database.clone() else {
        return match asked.database_url {
            Some(_) => Err(Fault::new("a database is given, and the plan has none")
                .with_help("write [database] into the plan, or leave --database-url out")),
            None => Ok(None),
        };
    };
    let given = asked.database_url.map(str::to_owned);
    let made = blocking(move || {
        let server = match given {
            Some(url) => Server::given(&url)?,
            None => Server::start(&plan, &folder, &keeper)?,
        };
        setup::apply(&plan, &mut server.client()?)?;
        Ok(server)
    });
    Ok(Some(Arc::new(Mutex::new(made.await?))))
}

fn judged(
    asked: &Asked<'_>,
    journal: &Journal,
    expected: &[Expected],
    said: Option<Said>,
    rounds: Vec<(Round, bool)>,
) -> Result<Outcome, Fault> {
    let (lines, accepted) = journal.read();
    let is_replay = |round: &Round| matches!(round.fault.kind, faults::Kind::InTurn | faults::Kind::AtOnce);
    if accepted.is_empty() && !rounds.iter().any(|(round, met)| *met && !is_replay(round)) {
        return Err(Fault::new("no request of the worker ever came to the provider")
            .with_help("give it {provider_url} in [worker.environment], and look at path and method of [provider.*]"));
    }
    let read = said.is_some();
    let Said { entries, waiting } = said.unwrap_or_default();
    let findings = verdict::judge(&Evidence {
        expected,
        accepted: &accepted,
        entries: read.then_some(entries.as_slice()),
        waiting: &waiting,
        lines: &lines,
    });
    Ok(Outcome {
        plan: asked.plan.name.clone(),
        seed: asked.seed,
        began: asked.now,
        took: journal.elapsed(),
        findings,
        waiting,
        expected: expected.iter().filter(|expected| !expected.model).count(),
        strange: accepted.iter().filter(|request| request.event.is_none()).count(),
        accepted,
        ledger: read && asked.plan.ledger != Book::None,
        rounds,
        lines,
        worker_log: String::new(),
    })
}
