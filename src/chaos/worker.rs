//! The worker under test: started by its command, watched by its health, signalled as a group, always ended.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal as Unix, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::chaos::faults::Signal;
use crate::chaos::keeper::Keeper;
use crate::chaos::plan::WorkerPlan;
use crate::chaos::wire;
use crate::diagnostic::Fault;
use crate::escape::shown;
use crate::files::cannot;

/// Variables that every worker gets of ours: what a program needs to run at all.
const USUAL: [&str; 9] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];

/// How often a start is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How often, each a millisecond after the last, it is looked whether one that was told to stop stands still.
const STANDSTILL: usize = 1000;

/// What every start has in common.
pub(super) struct Starter<'a> {
    pub(super) plan: &'a WorkerPlan,
    /// Our environment.
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) keeper: &'a Keeper,
    /// Where its output goes.
    pub(super) log: PathBuf,
    /// What the names in its command and environment stand for, all but the port.
    pub(super) values: Vec<(&'static str, String)>,
}

/// A running worker.
pub(super) struct Worker {
    child: Child,
    group: Pid,
    /// The port that it was given.
    pub(super) port: u16,
}

impl Starter<'_> {
    /// Starts it on a port of its own and waits until it is up.
    pub(super) async fn start(&self) -> Result<Worker, Fault> {
        let port = free_port().map_err(|error| Fault::new(format!("no port is free: {error}")))?;
        let values = self.values_with(port);
        let mut words = self.plan.command.iter().map(|word| word.fill(&values));
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(found(&program, &self.plan.folder));
        command.args(words).current_dir(&self.plan.folder).env_clear().envs(self.inherited());
        command.envs(self.plan.environment.iter().map(|(name, value)| (name, value.fill(&values))));
        let log = File::options().create(true).append(true).open(&self.log);
        let log =
            log.and_then(|log| Ok((log.try_clone()?, log))).map_err(|error| cannot("write", &self.log, &error))?;
        command.stdin(Stdio::null()).stdout(log.0).stderr(log.1).process_group(0).kill_on_drop(true);
        let child = command.spawn().map_err(|error| {
            Fault::new(format!("cannot start the worker `{}`: {error}", shown(&program)))
                .with_help("build it first; a program with a `/` in its name is looked for from [worker] folder")
        })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = group.ok_or_else(|| self.ended_early())?;
        self.keeper.worker(child.id());
        let mut worker = Worker { child, group, port };
        self.wait_until_up(&mut worker, &values).await?;
        Ok(worker)
    }

    async fn wait_until_up(&self, worker: &mut Worker, values: &[(&str, Cow<'_, str>)]) -> Result<(), Fault> {
        let limit = Instant::now() + self.plan.start_within;
        loop {
            let up = match &self.plan.health {
                Some(address) => {
                    wire::get(&address.fill(values), Duration::from_secs(2)).await.is_ok_and(|status| status < 400)
                }
                None => TcpStream::connect(("127.0.0.1", worker.port)).await.is_ok(),
            };
            if up {
                return Ok(());
            }
            if matches!(worker.child.try_wait(), Ok(Some(_))) {
                return Err(self.ended_early());
            }
            if Instant::now() > limit {
                let within = crate::duration::format(self.plan.start_within);
                return Err(Fault::new(format!("the worker was not up within {within}{}", self.last_words()))
                    .with_help("look at [worker] health, and that it listens on {port}; start_within sets the limit"));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn ended_early(&self) -> Fault {
        Fault::new(format!("the worker ended as it started{}", self.last_words())).with_help(
            "look at [worker] command and [worker.environment]: it gets nothing else of ours but PATH and the like",
        )
    }

    /// What it said last.
    fn last_words(&self) -> String {
        let said = fs::read(&self.log).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().rev().take(8).collect();
        if lines.is_empty() {
            return " and said nothing".to_owned();
        }
        let lines = lines.iter().rev().map(|line| format!("\n  {}", shown(line)));
        format!("; its last words:{}", lines.collect::<String>())
    }

    fn inherited(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        let wanted = |name: &OsString| {
            USUAL.iter().any(|usual| name == usual)
                || self.plan.inherit.iter().any(|inherited| name == inherited.as_str())
        };
        self.environment.iter().filter(move |(name, _)| wanted(name)).map(|(name, value)| (name, value))
    }

    /// What the names stand for when it listens on this port.
    pub(super) fn values_with(&self, port: u16) -> Vec<(&str, Cow<'_, str>)> {
        let known = self.values.iter().map(|(name, value)| (*name, Cow::Borrowed(value.as_str())));
        known.chain([("port", Cow::Owned(port.to_string()))]).collect()
    }
}

impl Worker {
    /// Sends it a signal. One that has ended meanwhile needs none.
    pub(super) fn signal(&self, signal: Signal) {
        let unix = match signal {
            Signal::Kill => Unix::KILL,
            Signal::Terminate => Unix::TERM,
            Signal::Stop => Unix::STOP,
        };
        let _ = kill_process_group(self.group, unix);
    }

    /// Waits until one that was told to stop stands still: on another core it runs on for a moment, which is enough to
    /// take an answer and to record it.
    pub(super) async fn stands_still(&self) {
        let asked = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        for _ in 0..STANDSTILL {
            if !matches!(waitid(WaitId::Pid(self.group), asked), Ok(None)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Lets a stopped one go on.
    pub(super) fn go_on(&self) {
        let _ = kill_process_group(self.group, Unix::CONT);
    }

    /// Its group.
    pub(super) fn group(&self) -> Option<u32> {
        u32::try_from(self.group.as_raw_nonzero().get()).ok()
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits for its end, and ends it when its time is over; whether it ended in time.
    pub(super) async fn end(&mut self, patience: Duration) -> bool {
        let in_time = tokio::time::timeout(patience, self.child.wait()).await.is_ok();
        // Others of its group may have stayed.
        self.signal(Signal::Kill);
        let _ = self.child.wait().await;
        in_time
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Once it is waited for, its number may be another's.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process_group(self.group, Unix::KILL);
        }
    }
}

/// A program with a `/` in its name is looked for from the folder in which it runs, whatever the system does.
fn found(program: &str, folder: &Path) -> PathBuf {
    let joined = folder.join(program);
    if program.contains('/') { joined.canonicalize().unwrap_or(joined) } else { PathBuf::from(program) }
}

/// A port on which nobody listens now.
pub(super) fn free_port() -> std::io::Result<u16> {
    std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr().map(|address| address.port())
}
