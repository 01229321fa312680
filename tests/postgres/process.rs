//! Programs of their own that tests kill: this test program, started again as a worker, an operator or a sweep.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::ledger::{Ledger, resolve, sweep};
use crate::provider::Provider;
use crate::support::{Database, connect};
use crate::worker::{Done, Job, LONG, Point, work};

/// What stands before each line of the program's own.
const MARK: &str = "program: ";

/// What such a program is told, in this variable of its environment.
const ORDER: &str = "ONLYONCE_TEST_PROGRAM";

#[derive(serde::Deserialize, serde::Serialize)]
struct Order {
    socket: PathBuf,
    database: String,
    user: String,
    provider: String,
    act: String,
    action_type: String,
    key: String,
    token: String,
    payload: serde_json::Value,
    stop_at: Option<Point>,
}

/// A running program.
pub(crate) struct Program {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    /// A worker with a job, that stops at this point until it is told to go on.
    pub(crate) fn worker(ledger: &Ledger, provider: &Provider, job: &Job, stop_at: Option<Point>) -> Program {
        Program::worker_through(ledger.database.place(), ledger, provider, job, stop_at)
    }

    /// A worker that finds its database in this folder.
    pub(crate) fn worker_through(
        socket: &Path,
        ledger: &Ledger,
        provider: &Provider,
        job: &Job,
        stop_at: Option<Point>,
    ) -> Program {
        Program::start(&Order {
            socket: socket.to_owned(),
            provider: provider.address.to_string(),
            token: job.token.to_string(),
            payload: job.payload.clone(),
            stop_at,
            ..order(&ledger.database, "worker", "work", &job.action_type, &job.key)
        })
    }

    /// A sweep.
    pub(crate) fn sweep(ledger: &Ledger) -> Program {
        Program::start(&order(&ledger.database, "keeper", "sweep", "", ""))
    }

    /// An operator who decides on a first attempt.
    pub(crate) fn resolve(ledger: &Ledger, key: &str, decision: &str) -> Program {
        Program::start(&order(&ledger.database, "person", decision, "send", key))
    }

    fn start(order: &Order) -> Program {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process::a_program_does_what_it_is_told", "--nocapture"]);
        command.env(ORDER, serde_json::to_string(order).unwrap()).kill_on_drop(true);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Program { child, input, lines: BufReader::new(output).lines() }
    }

    /// Its next line; `None` after its last.
    async fn line(&mut self) -> Option<String> {
        loop {
            let line = tokio::time::timeout(LONG, self.lines.next_line()).await.expect("the program hangs").unwrap()?;
            if let Some((_, said)) = line.split_once(MARK) {
                return Some(said.to_owned());
            }
        }
    }

    /// Waits until it has stopped at its point.
    pub(crate) async fn stopped(&mut self) {
        assert_eq!(self.line().await.as_deref(), Some("stopped"));
    }

    /// Tells it to go on.
    pub(crate) async fn go_on(&mut self) {
        self.input.write_all(b"\n").await.unwrap();
    }

    /// Kills it: no handler runs, nothing is flushed.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Its last words.
    pub(crate) async fn finish(mut self) -> String {
        self.line().await.expect("the program says how it went")
    }
}

fn order(database: &Database, user: &str, act: &str, action_type: &str, key: &str) -> Order {
    Order {
        socket: database.place().to_owned(),
        database: database.name.clone(),
        user: user.to_owned(),
        provider: String::new(),
        act: act.to_owned(),
        action_type: action_type.to_owned(),
        key: key.to_owned(),
        token: String::new(),
        payload: serde_json::Value::Null,
        stop_at: None,
    }
}

/// Both the program and its test: without an order it starts one.
#[tokio::test]
async fn a_program_does_what_it_is_told() {
    let Ok(order) = std::env::var(ORDER) else {
        crate::ledger::on_every_major(whole_way).await;
        return;
    };
    let order: Order = serde_json::from_str(&order).unwrap();
    let client = connect(&order.socket, &order.database, &order.user).await;
    let said = match order.act.as_str() {
        "sweep" => sweep(&client).await.to_string(),
        "work" => work_as_told(&order, client).await,
        decision => format!("{:?}", resolve(&client, &order.action_type, &order.key, 1, decision).await),
    };
    println!("{MARK}{said}");
}

async fn whole_way(ledger: &Ledger) {
    let provider = Provider::start().await;
    crate::invariants::watch(ledger).await;
    let said = Program::worker(ledger, &provider, &Job::new("send", "a"), None).finish().await;
    assert_eq!(said, "go, sent: recorded");
    assert_eq!((provider.look_up("a").len(), ledger.status("send", "a").await.as_str()), (1, "sent"));
    crate::invariants::hold(ledger, &provider.log(), None).await;
}

/// Works, and asks again with the same token when the connection was lost.
async fn work_as_told(order: &Order, client: tokio_postgres::Client) -> String {
    let payload = order.payload.clone();
    let (action_type, key) = (order.action_type.clone(), order.key.clone());
    let job = Job { action_type, key, token: order.token.parse().unwrap(), payload };
    let provider = order.provider.parse().unwrap();
    let stop_at = order.stop_at;
    let reach = move |point: Point| async move {
        if Some(point) == stop_at {
            println!("{MARK}stopped");
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }
    };
    let mut done = work(&client, provider, &job, reach).await;
    if done.as_ref().is_err_and(|refused| refused.starts_with("no answer")) {
        let again = connect(&order.socket, &order.database, &order.user).await;
        done = work(&again, provider, &job, reach).await;
    }
    match done {
        Err(refused) => refused,
        Ok(Done { answer, recorded: None }) => answer.verdict,
        Ok(Done { answer, recorded: Some((outcome, Ok(told))) }) => format!("{}, {outcome}: {told}", answer.verdict),
        Ok(Done { answer, recorded: Some((outcome, Err(refused))) }) => {
            format!("{}, {outcome}: {refused}", answer.verdict)
        }
    }
}
