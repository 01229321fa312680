//! An upgrade and its way back on a large table, while workers reserve and record and a sweeper sweeps.
//! ONLYONCE_ROWS says how many rows there are on the newest server; `.ci/test --full` asks for a million.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::chain::{Script, fresh, upgrades};
use crate::filled::fill;
use crate::support::{self, Database, Server, majors};
use crate::worker::{World, sweep, work};

const WORKERS: u64 = 8;

/// What every migration waits for a lock at the most.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// How many rows there are on the newest server; the others have fewer, or this alone would take ten minutes.
fn rows(major: u32) -> usize {
    let most = std::env::var("ONLYONCE_ROWS").map_or(100_000, |rows| rows.parse().expect("ONLYONCE_ROWS is a number"));
    if majors().last() == Some(&major) { most } else { most.min(50_000) }
}

/// Runs a migration until it gets its locks; how often it gave up.
async fn migrate(root: &Client, name: &str, script: &str) -> u32 {
    for given_up in 0..20 {
        match root.batch_execute(script).await {
            Ok(()) => return given_up,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                root.batch_execute("ROLLBACK; RESET ROLE").await.unwrap();
            }
            Err(error) => panic!("{name}: {}", support::describe(&error)),
        }
    }
    panic!("{name} never got its locks");
}

/// Runs these migrations under traffic, and says of each how long it and the longest call of a worker took.
async fn move_on(world: &World, root: &Client, way: &str, scripts: impl Iterator<Item = (&String, &String)>) {
    for (name, script) in scripts {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.take_longest();
        let before = world.calls.load(Ordering::Relaxed);
        let started = Instant::now();
        let given_up = migrate(root, name, script).await;
        let (took, calls) = (started.elapsed(), world.calls.load(Ordering::Relaxed) - before);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let longest = world.take_longest();
        println!(
            "{name} {way}: {took:.1?} with {calls} calls meanwhile, the longest {longest:.1?}; gave up {given_up} times"
        );
        assert!(longest < LOCK_TIMEOUT, "{name} {way} kept a worker waiting for {longest:?}");
    }
}

/// Every acknowledged reservation and outcome is there, and nothing was sent twice.
async fn demand_whole(world: &World, root: &Client, when: &str) {
    let _shut = world.gate.write().await;
    let errors = world.errors.lock().unwrap().clone();
    assert!(errors.is_empty(), "{when}: {} calls failed: {:#?}", errors.len(), &errors[..errors.len().min(5)]);
    let twice: Vec<String> =
        world.accepted.lock().unwrap().iter().filter(|(_, times)| **times > 1).map(|(key, _)| key.clone()).collect();
    assert_eq!(twice, Vec::<String>::new(), "{when}: accepted more than once");
    let went = world.went.lock().unwrap().clone();
    let keys: Vec<&String> = went.keys().collect();
    let rows = "SELECT idempotency_key, token, status, message_id FROM onlyonce.actions
        WHERE action_type = 'send_reply' AND idempotency_key = ANY ($1)";
    let rows: BTreeMap<String, (uuid::Uuid, String, Option<String>)> = root
        .query(rows, &[&keys])
        .await
        .unwrap()
        .iter()
        .map(|row| (row.get(0), (row.get(1), row.get(2), row.get(3))))
        .collect();
    assert!(went.len() > 100, "{when}: only {} reservations", went.len());
    for (key, token) in went {
        let (holder, ..) = rows.get(&key).unwrap_or_else(|| panic!("{when}: the reservation of {key} is lost"));
        assert_eq!(*holder, token, "{when}: {key}");
    }
    for (key, message_id) in world.sent.lock().unwrap().iter() {
        let (_, status, kept) = &rows[key];
        assert_eq!((status.as_str(), kept.as_ref()), ("sent", Some(message_id)), "{when}: {key}");
    }
    // The history tells of each of them, whichever version wrote it.
    let told = "SELECT count(DISTINCT idempotency_key) FROM onlyonce.action_transitions WHERE to_status = 'sent'
        AND action_type = 'send_reply' AND idempotency_key = ANY ($1)";
    let sent: Vec<String> = world.sent.lock().unwrap().keys().cloned().collect();
    let told: i64 = root.query_one(told, &[&sent]).await.unwrap().get(0);
    assert_eq!(usize::try_from(told).unwrap(), sent.len(), "{when}: the history is whole");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_table_is_upgraded_and_taken_back_under_traffic() {
    for major in majors() {
        let server = Server::start(major, &["fsync=off", "max_wal_size=4GB"]);
        let database = server.database().await;
        for script in fresh("create", 1) {
            database.run(&script.up).await;
        }
        let root = database.connect().await;
        let logins =
            "CREATE ROLE worker LOGIN IN ROLE onlyonce_app; CREATE ROLE keeper LOGIN IN ROLE onlyonce_maintenance";
        root.batch_execute(logins).await.unwrap();
        let started = Instant::now();
        fill(&root, rows(major)).await;
        println!("PostgreSQL {major}: {} rows in {:.1?}", rows(major), started.elapsed());
        play(&database, &root).await;
    }
}

async fn play(database: &Database, root: &Client) {
    let world = Arc::new(World::default());
    let mut tasks = Vec::new();
    for number in 0..WORKERS {
        let (world, database) = (Arc::clone(&world), database.clone());
        tasks.push(tokio::spawn(async move { work(&world, &database, number).await }));
    }
    let (sweeping, place) = (Arc::clone(&world), database.clone());
    tasks.push(tokio::spawn(async move { sweep(&sweeping, &place).await }));
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.take_longest();

    let steps = upgrades("create");
    let locking = steps.iter().find(|one| one.up.contains("ALTER TABLE onlyonce.actions")).unwrap();
    gives_up_and_comes_again(&world, database, root, locking).await;
    move_on(&world, root, "up", steps.iter().map(|one| (&one.name, &one.up))).await;
    demand_whole(&world, root, "after the upgrade").await;
    move_on(&world, root, "down", steps.iter().rev().map(|one| (&one.name, &one.down))).await;
    world.over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
    demand_whole(&world, root, "after the way back").await;
    let moved: i64 = root
        .query_one("SELECT count(*) FROM onlyonce.actions WHERE idempotency_key LIKE 'old:%' AND step = 'sweep'", &[])
        .await
        .unwrap()
        .get(0);
    assert!(moved > 0, "the sweeper was at work");
    println!("{} calls in all", world.calls.load(Ordering::Relaxed));
}

/// Somebody reads the actions for longer than a migration waits: it gives up, leaves nothing, and workers go on.
async fn gives_up_and_comes_again(world: &World, database: &Database, root: &Client, step: &Script) {
    let reader = database.connect().await;
    reader.batch_execute("BEGIN; SELECT FROM onlyonce.actions LIMIT 1").await.unwrap();
    let refused = root.batch_execute(&step.up).await.unwrap_err();
    assert_eq!(refused.code(), Some(&SqlState::LOCK_NOT_AVAILABLE), "{}", support::describe(&refused));
    root.batch_execute("ROLLBACK; RESET ROLE").await.unwrap();
    reader.batch_execute("ROLLBACK").await.unwrap();
    let longest = world.take_longest();
    println!("{} gave up behind a long reader and kept workers waiting for {longest:.1?}", step.name);
    assert!(longest < LOCK_TIMEOUT + Duration::from_secs(2), "workers waited for {longest:?}");
}
