//! The benchmark of the generated client: `once` beside the same two functions called by hand with sqlx, on one pool.
//! A program and not a test: nothing that it measures is asserted.

use std::alloc::System;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use sqlx::PgPool;
use sqlx::postgres::types::PgInterval;
use sqlx::postgres::{PgPoolOptions, PgRow};
use sqlx::types::Json;
use sqlx::{Row as _, migrate::Migrator};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tokio::task::JoinSet;
use uuid::Uuid;

#[rustfmt::skip]
#[path = "../generated/sqlx_client.rs"]
#[allow(unused_imports, reason = "the file is a module of a program elsewhere")]
mod client;
#[path = "../support/mod.rs"]
mod support;

use client::{Ledger, Receipt, SendError, keys};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Measures the client beside calls by hand, on a throw-away server
#[derive(Parser)]
#[command(name = "client")]
pub(crate) struct Options {
    /// Rounds, each with both ways in turn
    #[arg(long, default_value_t = 31, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Actions of each round and way, in turns of 40
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) actions: u32,
    /// Workers on one pool of ten connections
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8])]
    pub(crate) workers: Vec<u32>,
    /// Major version of the server
    #[arg(long, default_value_t = 15)]
    pub(crate) postgres: u32,
    /// cargo bench says so
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

/// Actions of one way before the other has its turn.
const TURN: u32 = 40;

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(measure(&options, |text| println!("{text}")));
    ExitCode::SUCCESS
}

/// Measures, and shows a line for each number of workers.
pub(crate) async fn measure(options: &Options, mut show: impl FnMut(&str)) {
    let settings = ["fsync=on", "max_wal_size=8GB", "checkpoint_timeout=1h", "shared_buffers=512MB"];
    let server = support::Server::start(options.postgres, &settings);
    let database = server.database().await;
    let pool = PgPoolOptions::new().max_connections(10).connect(&database.url(support::SUPERUSER)).await.unwrap();
    Migrator::new(emitted().path().join("migrations")).await.unwrap().run(&pool).await.unwrap();
    let turns = options.actions.div_ceil(TURN);
    for &workers in &options.workers {
        let mut ratios = Vec::new();
        let mut counts = [Vec::new(), Vec::new()];
        // The first round fills caches and counts for nothing.
        for round in 0..=options.rounds {
            database.run("CHECKPOINT").await;
            let mut took = [Duration::ZERO; 2];
            let mut made = [0, 0];
            // Short turns, so that what else the machine does befalls both; who begins has no advantage.
            for turn in 0..turns {
                let order = if (round + turn) % 2 == 0 { [Way::Hand, Way::Client] } else { [Way::Client, Way::Hand] };
                for way in order {
                    let allocated = Region::new(ALLOCATOR);
                    took[way as usize] += run(way, &pool, TURN, workers).await;
                    made[way as usize] += allocated.change().allocations;
                }
            }
            if round > 0 {
                for (counts, made) in counts.iter_mut().zip(made) {
                    counts.push(f64::from(u32::try_from(made).unwrap()) / f64::from(turns * TURN));
                }
                ratios.push(took[Way::Client as usize].as_secs_f64() / took[Way::Hand as usize].as_secs_f64());
            }
        }
        let [hand, client] = counts.map(|mut counts| median(&mut counts));
        let ratio = median(&mut ratios);
        show(&format!(
            "{workers} workers, {} rounds of {} actions: client / by hand {ratio:.3} of the time (middle half {:.3} to \
             {:.3}); {client:.0} allocations an action, {hand:.0} by hand",
            options.rounds,
            turns * TURN,
            ratios[ratios.len() / 4],
            ratios[ratios.len() * 3 / 4],
        ));
    }
}

#[derive(Clone, Copy)]
enum Way {
    Hand,
    Client,
}

/// How long this way takes for all actions, shared among the workers.
async fn run(way: Way, pool: &PgPool, actions: u32, workers: u32) -> Duration {
    let run = Uuid::new_v4();
    let started = Instant::now();
    let mut work = JoinSet::new();
    for worker in 0..workers {
        let pool = pool.clone();
        work.spawn(async move {
            let ledger = Ledger::new(pool.clone());
            for number in (worker..actions).step_by(workers as usize) {
                let message = format!("{run}:{number}");
                match way {
                    Way::Hand => by_hand(&pool, &message).await,
                    Way::Client => by_client(&ledger, &message).await,
                }
            }
        });
    }
    work.join_all().await;
    started.elapsed()
}

async fn by_client(ledger: &Ledger, message: &str) {
    let send = |_: String, _| async { Ok::<_, SendError>(Receipt::id("m1")) };
    let _ = ledger.once(&keys::Reply { message }, "hello".to_owned(), send).await.unwrap();
}

/// The two calls and nothing else: what they answer is read, since a send needs it.
async fn by_hand(pool: &PgPool, message: &str) {
    const RESERVE: &str = "CALL onlyonce.reserve('reply', $1, $2, $3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
    const RECORD: &str = "SELECT onlyonce.record('reply', $1, $2, 'sent', $3)";
    let token = Uuid::new_v4();
    let reserve = sqlx::query(RESERVE).bind(message).bind(token).bind(Json("hello"));
    let row: PgRow = reserve.fetch_one(pool).await.unwrap();
    assert_eq!(row.get::<&str, _>("verdict"), "go");
    let payload: Json<String> = row.get("payload_kept");
    let _: PgInterval = row.get("send_budget");
    drop(payload);
    let recorded: String =
        sqlx::query_scalar(RECORD).bind(message).bind(token).bind("m1").fetch_one(pool).await.unwrap();
    assert_eq!(recorded, "recorded");
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn emitted() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/onlyonce.toml");
    std::fs::copy(manifest, place.path().join("onlyonce.toml")).unwrap();
    let mut emit = std::process::Command::new(env!("CARGO_BIN_EXE_onlyonce"));
    assert!(emit.args(["--quiet", "emit"]).current_dir(place.path()).status().unwrap().success());
    place
}
