//! Everybody at once: 64 workers on 8 hot keys, sweeps, operators, purge, erasure, pauses and a monitor, with a provider
//! that fails in every manner. Ten seconds, or `ONLYONCE_LONG` of them. A program of its own, so that nothing else runs
//! beside it.

#[allow(dead_code, reason = "each test program uses its part")]
#[path = "postgres/invariants.rs"]
mod invariants;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "postgres/ledger.rs"]
mod ledger;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "postgres/provider.rs"]
mod provider;
mod support;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "postgres/worker.rs"]
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use invariants::{Counts, hold, watch};
use ledger::{DEADLINE, Ledger, Refused, ask, on_every_major, resolve, sweep};
use provider::{Manner, Provider};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_postgres::Client;
use worker::{Done, Job, LONG, Point, work};

/// The hot keys belong to types of every sort; `kept` rows are purged whole in the middle of the run.
const HOT: [&str; 8] = ["send", "send", "send", "send", "kept", "kept", "retry", "model"];

/// How the provider meets one request after another: mostly well.
const MOODS: [Manner; 23] = [
    Manner::Accept,
    Manner::Accept,
    Manner::Accept,
    Manner::AcceptAndDrop,
    Manner::Accept,
    Manner::Accept,
    Manner::Say(422),
    Manner::Accept,
    Manner::Accept,
    Manner::AcceptAndSay(503),
    Manner::Accept,
    Manner::Reset,
    Manner::Accept,
    Manner::AcceptAndDelay(Duration::from_millis(100)),
    Manner::Accept,
    Manner::Say(401),
    Manner::AcceptAndHold,
    Manner::Accept,
    Manner::Say(500),
    Manner::Say(429),
    Manner::Accept,
    Manner::AcceptAndMumble,
    Manner::Accept,
];

/// What all that take part share.
struct Run {
    ledger: Ledger,
    provider: Provider,
    over: AtomicBool,
    /// Which key of each hot place is in use: the next once one is done.
    turns: [AtomicU64; HOT.len()],
    told: Mutex<Counts>,
    /// The type and key of each action of which a worker told what somebody had settled meanwhile.
    told_again: Mutex<Vec<(String, String)>>,
    verdicts: Mutex<BTreeMap<String, u64>>,
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    /// One of `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_at_once() {
    let seconds =
        std::env::var("ONLYONCE_LONG").map_or(10, |seconds| seconds.parse().expect("ONLYONCE_LONG is seconds"));
    on_every_major(async |ledger: &Ledger| run(ledger, Duration::from_secs(seconds)).await).await;
}

async fn run(ledger: &Ledger, length: Duration) {
    watch(ledger).await;
    let own = Ledger { database: ledger.database.clone(), root: ledger.database.connect().await };
    let run = Arc::new(Run {
        ledger: own,
        provider: Provider::with_moods(&MOODS).await,
        over: AtomicBool::new(false),
        turns: Default::default(),
        told: Mutex::default(),
        told_again: Mutex::default(),
        verdicts: Mutex::default(),
    });
    let mut busy = JoinSet::new();
    for number in 1..=64 {
        busy.spawn(send(run.clone(), run.ledger.worker().await, Dice(number << 20 | 0x9E37_79B9)));
    }
    busy.spawn(send_released(run.clone(), run.ledger.worker().await));
    for person in 0..2 {
        busy.spawn(decide(run.clone(), run.ledger.person().await, Dice(person + 77)));
        busy.spawn(maintain(run.clone(), run.ledger.keeper().await));
    }
    busy.spawn(erase(run.clone(), run.ledger.person().await, run.ledger.database.connect().await));
    busy.spawn(pause(run.clone(), run.ledger.person().await));
    busy.spawn(monitor(run.clone(), run.ledger.database.connect_as("watcher").await));
    tokio::time::sleep(length).await;
    // On a slow machine little happens in that time: it goes on until everything that is to be held has happened.
    let limit = Instant::now() + LONG;
    while unseen(&run).await.is_some() && Instant::now() < limit {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    run.over.store(true, Ordering::Relaxed);
    while let Some(done) = busy.join_next().await {
        done.unwrap();
    }
    judge(&run).await;
}

/// What holds at the end, and that the run was not a quiet one.
async fn judge(run: &Run) {
    let told = with_news(run).await;
    hold(&run.ledger, &run.provider.log(), Some(&told)).await;
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(run.ledger.root.query_one(deadlocks, &[]).await.unwrap().get::<_, i64>(0), 0);
    assert_eq!(unseen(run).await, None);
}

/// What was told, with what came late. A worker that tells what somebody settled meanwhile has the result as news; of
/// what was stripped or erased by then nothing is kept, and nobody here knows which was first: either count is right.
async fn with_news(run: &Run) -> Counts {
    let mut told = run.told.lock().unwrap().clone();
    let stripped = "SELECT DISTINCT action_type, idempotency_key FROM public.seen
      WHERE op = 'DELETE' OR step IN ('erase', 'purge')";
    let stripped: BTreeSet<(String, String)> =
        run.ledger.root.query(stripped, &[]).await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
    let told_again = run.told_again.lock().unwrap().clone();
    let (unsure, news): (Vec<_>, Vec<_>) = told_again.into_iter().partition(|action| stripped.contains(action));
    for (action_type, _) in news {
        *told.entry((action_type, "late_evidence".to_owned())).or_default() += 1;
    }
    let counted = "SELECT name, hits FROM onlyonce.duplicate_counts WHERE scope = 'action' AND kind = 'late_evidence'";
    for row in run.ledger.root.query(counted, &[]).await.unwrap() {
        let (action_type, counted): (String, i64) = (row.get(0), row.get(1));
        let unsure = unsure.iter().filter(|(unsure, _)| *unsure == action_type).count();
        let told = told.entry((action_type, "late_evidence".to_owned())).or_default();
        *told = counted.clamp(*told, *told + i64::try_from(unsure).unwrap());
    }
    told
}

/// What nobody was told, or no action went through yet.
async fn unseen(run: &Run) -> Option<String> {
    let verdicts = run.verdicts.lock().unwrap().clone();
    let told = ["go", "in_progress", "sent", "unknown", "failed", "paused"];
    if let Some(missing) = told.into_iter().find(|verdict| !verdicts.contains_key(*verdict)) {
        return Some(format!("nobody was told {missing}: {verdicts:?}"));
    }
    let steps = "SELECT DISTINCT step FROM public.seen WHERE step IS NOT NULL ORDER BY 1";
    let steps: Vec<String> = run.ledger.root.query(steps, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    let wanted = ["erase", "purge", "record", "reserve", "resolve", "sweep"];
    wanted.into_iter().find(|step| !steps.iter().any(|seen| seen == step)).map(|step| format!("no {step}: {steps:?}"))
}

impl Run {
    fn goes_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    fn count(&self, action_type: &str, kind: &str) {
        *self.told.lock().unwrap().entry((action_type.to_owned(), kind.to_owned())).or_default() += 1;
    }

    /// Notes what a worker was told, as the ledger has to have counted it.
    fn note(&self, job: &Job, done: Result<Done, Refused>) -> String {
        let done = match done {
            // It changed three times under it: no verdict, no send.
            Err(refused) if refused == "40001" => return refused,
            other => other.unwrap(),
        };
        let verdict = done.answer.verdict;
        *self.verdicts.lock().unwrap().entry(verdict.clone()).or_default() += 1;
        match verdict.as_str() {
            "in_progress" | "sent" | "unknown" | "failed" => self.count(&job.action_type, &verdict),
            "go" | "go_again" | "paused" => {}
            other => panic!("{other}"),
        }
        if done.answer.conflict == Some(true) {
            self.count(&job.action_type, "payload_conflict");
        }
        match done.recorded.map(|(_, answer)| answer.unwrap()).as_deref() {
            None | Some("recorded") => {}
            Some("fenced") => {
                self.count(&job.action_type, "fenced");
                self.count(&job.action_type, "late_evidence");
            }
            Some("already") => self.told_again.lock().unwrap().push((job.action_type.clone(), job.key.clone())),
            Some(other) => panic!("{other}"),
        }
        verdict
    }
}

/// A worker. Some of its payloads are worded anew; now and then it falls asleep.
async fn send(run: Arc<Run>, client: Client, mut dice: Dice) {
    while run.goes_on() {
        let place = usize::try_from(dice.roll(8)).unwrap();
        let turn = run.turns[place].load(Ordering::Relaxed);
        let mut job = Job::new(HOT[place], &format!("hot-{place}-{turn}"));
        if dice.roll(10) == 0 {
            job.payload = json!({"to": job.key, "worded": "anew"});
        }
        let asleep =
            (dice.roll(30) == 0).then_some(if dice.roll(2) == 0 { Point::BeforeConnect } else { Point::BeforeRecord });
        let reach = move |point: Point| async move {
            if Some(point) == asleep {
                tokio::time::sleep(DEADLINE + Duration::from_millis(300)).await;
            }
        };
        let verdict = run.note(&job, work(&client, run.provider.address, &job, reach).await);
        let done = ["sent", "failed", "unknown"].contains(&verdict.as_str());
        if done && dice.roll(20) == 0 {
            let _ = run.turns[place].compare_exchange(turn, turn + 1, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// What may go again and whose job is gone.
async fn send_released(run: Arc<Run>, client: Client) {
    while run.goes_on() {
        for row in client.query("SELECT * FROM onlyonce.released(10)", &[]).await.unwrap() {
            let job = Job { payload: row.get(2), ..Job::new(row.get(0), row.get(1)) };
            run.note(&job, work(&client, run.provider.address, &job, worker::pass).await);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A person, who looks things up at the provider.
async fn decide(run: Arc<Run>, client: Client, mut dice: Dice) {
    // What is overdue and not swept yet is left to the sweep for a while, or a slow machine's would find nothing.
    let queue = "SELECT class, action_type, idempotency_key, attempt FROM onlyonce.reconciliation_queue
      WHERE class <> 'inbound' AND (status <> 'pending' OR age > interval '3 seconds') ORDER BY since LIMIT 20";
    while run.goes_on() {
        for row in client.query(queue, &[]).await.unwrap() {
            let (class, action_type, key, attempt): (&str, &str, &str, i32) =
                (row.get(0), row.get(1), row.get(2), row.get(3));
            let found = run.provider.look_up(key).pop();
            let decided = match (class, found) {
                ("unknown", Some(id)) => {
                    ask(&client, "resolve", &[&action_type, &key, &attempt, &"sent", &"its log", &"kim", &id]).await
                }
                ("unknown", None) => resolve(&client, action_type, key, attempt, "not_sent").await,
                _ if dice.roll(2) == 0 => resolve(&client, action_type, key, attempt, "abandon").await,
                _ => resolve(&client, action_type, key, attempt, "not_sent").await,
            };
            // Too early, too late, another attempt by now, or gone: each told by its code.
            let told = decided.as_ref().map_or_else(String::as_str, String::as_str);
            assert!(["resolved", "already", "OO004", "OO005", "OO006", "P0002"].contains(&told), "{told}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn maintain(run: Arc<Run>, client: Client) {
    while run.goes_on() {
        sweep(&client).await;
        client.query_one("SELECT onlyonce.purge(100)", &[]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

async fn erase(run: Arc<Run>, client: Client, root: Client) {
    let any =
        "SELECT action_type, idempotency_key FROM onlyonce.actions WHERE stripped_at IS NULL ORDER BY random() LIMIT 1";
    while run.goes_on() {
        if let Some(row) = root.query_opt(any, &[]).await.unwrap() {
            let erased = ask(&client, "erase", &[&row.get::<_, &str>(0), &row.get::<_, &str>(1), &"kim"]).await;
            let told = erased.as_ref().map_or_else(String::as_str, String::as_str);
            assert!(["erased", "absent", "OO004"].contains(&told), "{told}");
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

async fn pause(run: Arc<Run>, client: Client) {
    while run.goes_on() {
        tokio::time::sleep(Duration::from_millis(700)).await;
        client.batch_execute("SELECT onlyonce.pause('a try', 'kim')").await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        client.batch_execute("SELECT onlyonce.resume('kim')").await.unwrap();
    }
}

async fn monitor(run: Arc<Run>, client: Client) {
    let views = ["health", "duplicate_counts", "reconciliation_queue"];
    while run.goes_on() {
        for view in views {
            client.query(&format!("SELECT * FROM onlyonce.{view}"), &[]).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
