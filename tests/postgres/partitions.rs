//! A ledger in partitions: what holds of the whole holds of each of them too.

use onlyonce::manifest::Roles;

use crate::ledger::{Ledger, emitted, go, on_every_major, partitioned, record, refusal, script};
use crate::support::{majors, server};

/// The tables that hold rows of `actions`: itself, or its partitions.
const LEAVES: &str = "SELECT c.oid::regclass::text FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
  WHERE c.relkind = 'r' AND 'onlyonce.actions'::regclass IN (c.oid, i.inhparent) ORDER BY 1";

/// How they are stored.
const STORED: &str =
    "SELECT DISTINCT c.reloptions::text FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
  WHERE c.relkind = 'r' AND 'onlyonce.actions'::regclass IN (c.oid, i.inhparent)";

async fn texts(ledger: &Ledger, query: &str) -> Vec<String> {
    ledger.root.query(query, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn each_partition_is_guarded_as_the_whole_is() {
    on_every_major(each_guarded).await;
}

pub(crate) async fn each_guarded(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in 0..40 {
        let key = key.to_string();
        let token = go(&worker, "send", &key).await;
        if key.ends_with(['0', '2', '4', '6', '8']) {
            record(&worker, "send", &key, token, "sent").await;
        }
    }
    for leaf in texts(ledger, LEAVES).await {
        for replica in ["origin", "replica"] {
            for statement in [
                "TRUNCATE {}",
                "DELETE FROM {}",
                "UPDATE {} SET token = gen_random_uuid()",
                "UPDATE {} SET status = 'unknown', waits_since = now(), payload = '1' WHERE status = 'pending'",
                "UPDATE {} SET idempotency_key = 'x' || idempotency_key",
                "INSERT INTO {} SELECT (jsonb_populate_record(a, '{\"attempt\": 2}')).* FROM {} AS a LIMIT 1",
            ] {
                let statement = statement.replace("{}", &leaf);
                let refused =
                    refusal(&ledger.root, &format!("SET session_replication_role = {replica}; {statement}")).await;
                assert_eq!(refused, "OO004", "{replica}: {statement}");
            }
        }
        let refused = refusal(&worker, &format!("SELECT FROM {leaf}")).await;
        assert_eq!(refused, "42501", "the worker has no right on {leaf}");
    }
    assert_eq!(texts(ledger, "SELECT count(*)::text FROM onlyonce.actions").await, ["40"]);
}

#[tokio::test]
async fn a_partition_that_lost_its_guards_is_noticed() {
    let whole = script(&partitioned()).0;
    let mut unnoticed = Vec::new();
    for (name, from, to) in [
        (
            "no guard on truncate",
            "CREATE TRIGGER actions_guard_truncate BEFORE TRUNCATE ON onlyonce.actions_1\n",
            "CREATE TRIGGER actions_guard_truncate AFTER INSERT ON onlyonce.actions_1\n",
        ),
        (
            "a trigger that replicas pass by",
            "ALTER TABLE onlyonce.actions_2 ENABLE ALWAYS TRIGGER actions_guard_update",
            "ALTER TABLE onlyonce.actions_2 ENABLE TRIGGER actions_guard_update",
        ),
        (
            "facts that replicas change",
            "ALTER TABLE onlyonce.actions_0 ENABLE ALWAYS TRIGGER actions_guard_facts",
            "ALTER TABLE onlyonce.actions_0 ENABLE REPLICA TRIGGER actions_guard_facts",
        ),
        (
            "a guard on delete that is off",
            "ALTER TABLE onlyonce.actions_1 ENABLE ALWAYS TRIGGER actions_guard_delete",
            "ALTER TABLE onlyonce.actions_1 DISABLE TRIGGER actions_guard_delete",
        ),
    ] {
        assert!(whole.contains(from), "{name}: the ledger does not say {from:?}");
        let ledger = Ledger::of(server(majors()[0]), &whole.replace(from, to)).await;
        if tokio::spawn(async move { each_guarded(&ledger).await }).await.is_ok() {
            unnoticed.push(name);
        }
    }
    assert!(unnoticed.is_empty(), "the scenario passes without them: {unnoticed:#?}");
}

#[tokio::test]
async fn a_partition_is_stored_as_the_plain_table_is() {
    for major in majors() {
        let plain = texts(&Ledger::on(server(major)).await, STORED).await;
        let ledger = Ledger::of(server(major), &script(&partitioned()).0).await;
        assert!(plain[0].contains("fillfactor"), "{plain:?}");
        assert_eq!(texts(&ledger, STORED).await, plain);
        assert_eq!(texts(&ledger, LEAVES).await.len(), 3);
    }
}

#[tokio::test]
async fn as_many_partitions_as_a_manifest_may_ask_for_come_and_go_in_one_transaction() {
    for major in majors() {
        let many = onlyonce::manifest::diff::Emitted { partitions: 256, ..emitted(Roles::None) };
        let (up, down) = script(&many);
        let database = server(major).database().await;
        database.run(&up).await;
        let root = database.connect().await;
        let there = "SELECT count(*) FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'onlyonce')";
        assert!(root.query_one(there, &[]).await.unwrap().get::<_, i64>(0) > 256);
        database.run(&down).await;
        assert_eq!(root.query_one(there, &[]).await.unwrap().get::<_, i64>(0), 0);
    }
}
