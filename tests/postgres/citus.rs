//! What is Citus's own. Run with `ONLYONCE_CITUS=15 cargo test --test postgres -- --include-ignored citus`.

use crate::ledger::cluster::{Cluster, address, cluster, ledger, of_citus};
use crate::ledger::{Ledger, go, record, refusal, script};
use crate::support::{Database, majors, server};

/// The node that holds rows, and one of its shards of `actions`.
async fn shard(ledger: &Ledger, cluster: &Cluster, key: &str) -> (Database, String) {
    let place = "SELECT nodename, shard_name::text FROM citus_shards
      WHERE shardid = get_shard_id_for_distribution_column('onlyonce.actions', $1::text)";
    let row = ledger.root.query_one(place, &[&key]).await.unwrap();
    let worker = usize::from(row.get::<_, String>(0) == address(2));
    (cluster.workers[worker].holding(&ledger.database), row.get::<_, String>(1))
}

#[tokio::test]
#[ignore = "needs a PostgreSQL with Citus: ONLYONCE_CITUS"]
async fn each_shard_is_guarded_on_its_node() {
    let ledger = ledger().await.expect("ONLYONCE_CITUS names the PostgreSQL that has it");
    let cluster = cluster().await.expect("it runs");
    let worker = ledger.worker().await;
    for key in ["a", "b", "c", "d"] {
        let token = go(&worker, "send", key).await;
        record(&worker, "send", key, token, "sent").await;
        let (node, shard) = shard(&ledger, cluster, key).await;
        let root = node.connect().await;
        for statement in ["TRUNCATE {}", "DELETE FROM {}", "UPDATE {} SET attempt = 7", "UPDATE {} SET payload = '1'"] {
            let open = "SET citus.enable_manual_changes_to_shards = on; SET session_replication_role = replica";
            let statement = format!("{open}; {}", statement.replace("{}", &shard));
            assert_eq!(refusal(&root, &statement).await, "OO004", "{statement}");
        }
        let written = "SELECT count(*) FROM onlyonce.action_transitions WHERE idempotency_key = $1";
        assert_eq!(ledger.root.query_one(written, &[&key]).await.unwrap().get::<_, i64>(0), 1);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL with Citus: ONLYONCE_CITUS"]
async fn views_show_what_they_show_elsewhere() {
    let ledger = ledger().await.expect("ONLYONCE_CITUS names the PostgreSQL that has it");
    let plain = Ledger::on(server(majors()[0])).await;
    let columns = "SELECT table_name || '.' || column_name || ' ' || data_type FROM information_schema.columns
      WHERE table_schema = 'onlyonce' AND table_name IN ('reconciliation_queue', 'duplicate_counts', 'health')
      ORDER BY 1";
    let names = "SELECT name FROM onlyonce.health ORDER BY 1";
    for query in [columns, names] {
        let mut seen = Vec::new();
        for root in [&ledger.root, &plain.root] {
            let rows = root.query(query, &[]).await.unwrap();
            seen.push(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>());
        }
        assert_eq!(seen[0], seen[1]);
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL with Citus: ONLYONCE_CITUS"]
async fn the_node_of_the_row_commits_durably_whatever_its_own_setting() {
    let ledger = ledger().await.expect("ONLYONCE_CITUS names the PostgreSQL that has it");
    let cluster = cluster().await.expect("it runs");
    let seen = "CREATE TABLE public.seen (setting text);
      CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$";
    for (key, set) in [("lax", "off"), ("weak", "local"), ("plain", "on")] {
        let (node, shard) = shard(&ledger, cluster, key).await;
        let root = node.connect().await;
        root.batch_execute("SET citus.enable_ddl_propagation = off").await.unwrap();
        let loosen = format!("ALTER DATABASE {} SET synchronous_commit = {set}", ledger.database.name);
        root.batch_execute(&loosen).await.unwrap();
        // Connections that stood before have the old setting.
        let gone = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name LIKE 'citus_internal%' AND datname = current_database()";
        root.batch_execute(gone).await.unwrap();
        root.batch_execute(&format!(
            "DROP TABLE IF EXISTS seen; DROP FUNCTION IF EXISTS look CASCADE; {seen};
            SET citus.enable_unsafe_triggers = on; SET citus.enable_manual_changes_to_shards = on;
            CREATE TRIGGER look AFTER INSERT OR UPDATE ON {shard} FOR EACH ROW EXECUTE FUNCTION public.look()"
        ))
        .await
        .unwrap();
        let worker = ledger.worker().await;
        let token = go(&worker, "send", key).await;
        record(&worker, "send", key, token, "sent").await;
        let settings = root.query("SELECT setting FROM public.seen", &[]).await.unwrap();
        let settings: Vec<String> = settings.iter().map(|row| row.get(0)).collect();
        assert_eq!(settings, ["on", "on"], "under {set}");
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL with Citus: ONLYONCE_CITUS"]
async fn the_way_back_leaves_nothing_on_any_node() {
    let ledger = ledger().await.expect("ONLYONCE_CITUS names the PostgreSQL that has it");
    let cluster = cluster().await.expect("it runs");
    go(&ledger.worker().await, "send", "a").await;
    ledger.database.run(&script(&of_citus()).1).await;
    for node in cluster.nodes() {
        let root = node.holding(&ledger.database).connect().await;
        let left = "SELECT count(*) FROM pg_namespace WHERE nspname = 'onlyonce'";
        assert_eq!(root.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
    }
}
