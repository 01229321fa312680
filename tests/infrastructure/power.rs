//! The server stopped without a checkpoint (`pg_ctl stop -m immediate`) in the middle of many reservations.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;

use crate::invariants::{hold, watch};
use crate::ledger::{Ledger, try_reserve};
use crate::provider::Provider;
use crate::support::{Server, majors};
use crate::worker::{Job, pass, work};

const WORKERS: usize = 125;
const JOBS: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_go_of_a_thousand_is_there_after_a_crash() {
    for major in majors() {
        struck(&Server::start(major, &[])).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_go_is_there_where_the_role_s_commits_are_not_durable() {
    for major in majors() {
        struck(&Server::start(major, &["synchronous_commit=off", "wal_writer_delay=10s"])).await;
    }
}

async fn struck(server: &Server) {
    let ledger = Ledger::on(server).await;
    watch(&ledger).await;
    let off = "SELECT setting FROM pg_settings WHERE name = 'synchronous_commit'";
    let off = ledger.root.query_one(off, &[]).await.unwrap().get::<_, &str>(0) == "off";
    ledger
        .database
        .run(if off { "ALTER ROLE worker SET synchronous_commit = off; CHECKPOINT" } else { "CHECKPOINT" })
        .await;
    let provider = Provider::start().await;
    let acknowledged: Arc<Mutex<Vec<Job>>> = Arc::default();
    let mut asking = JoinSet::new();
    for worker in 0..WORKERS {
        let (client, acknowledged) = (ledger.worker().await, acknowledged.clone());
        asking.spawn(async move {
            let mut refused = Vec::new();
            for turn in 0..JOBS {
                let job = Job::new("send", &format!("{worker}-{turn}"));
                match try_reserve(&client, &job.action_type, &job.key, job.token, &job.payload).await {
                    Ok(answer) if answer.verdict == "go" => acknowledged.lock().unwrap().push(job),
                    Ok(answer) => panic!("{answer:?}"),
                    Err(_) => refused.push(job),
                }
            }
            refused
        });
    }
    while acknowledged.lock().unwrap().len() < WORKERS * JOBS / 4 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::task::block_in_place(|| server.crash());
    let refused: Vec<Job> = asking.join_all().await.into_iter().flatten().collect();
    assert!(!refused.is_empty(), "the crash came after all was done");
    let again = Ledger { root: ledger.database.connect().await, database: ledger.database.clone() };

    let acknowledged = acknowledged.lock().unwrap().clone();
    let held = "SELECT count(*) FROM onlyonce.actions WHERE idempotency_key = $1 AND token = $2 AND attempt = 1";
    let held = again.root.prepare(held).await.unwrap();
    for job in &acknowledged {
        let rows: i64 = again.root.query_one(&held, &[&job.key, &job.token]).await.unwrap().get(0);
        assert_eq!(rows, 1, "{} was acknowledged and is gone, of {}", job.key, acknowledged.len());
    }
    ask_again(&again, &provider, refused).await;
    hold(&again, &provider.log(), None).await;
}

/// Who got no answer asks again with the same token, reserved or not.
async fn ask_again(ledger: &Ledger, provider: &Provider, refused: Vec<Job>) {
    let mut asking = JoinSet::new();
    for jobs in refused.chunks(refused.len().div_ceil(WORKERS)).map(<[Job]>::to_vec) {
        let (client, address) = (ledger.worker().await, provider.address);
        asking.spawn(async move {
            for job in jobs {
                let verdict = work(&client, address, &job, pass).await.unwrap().answer.verdict;
                assert!(["go", "go_again", "unknown"].contains(&verdict.as_str()), "{verdict}");
            }
        });
    }
    asking.join_all().await;
}
