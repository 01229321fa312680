//! What nobody may do to the ledger, whoever they are.

use onlyonce::states::{Condition, State, table};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::ledger::{Ledger, go, on_every_major, pass_deadline, record, refusal, reserve, resolve};

#[tokio::test]
async fn the_worker_s_role_has_no_right_on_any_table() {
    on_every_major(no_table_rights).await;
}

pub(crate) async fn no_table_rights(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'onlyonce'";
    let tables = ledger.root.query(tables, &[]).await.unwrap();
    assert!(tables.len() > 10);
    for table in &tables {
        let table: &str = table.get(0);
        for statement in ["SELECT FROM onlyonce.{}", "DELETE FROM onlyonce.{}", "TRUNCATE onlyonce.{}"] {
            let statement = statement.replace("{}", table);
            let refused = refusal(&worker, &statement).await;
            assert!(["42501", "42809", "55000"].contains(&refused.as_str()), "{statement}: {refused}");
        }
    }
    for statement in [
        "UPDATE onlyonce.actions SET status = 'pending'",
        "INSERT INTO onlyonce.actions (action_type) VALUES ('send')",
        "SET session_replication_role = replica",
        "SET ROLE onlyonce_owner",
        "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL",
        "CREATE TABLE onlyonce.mine ()",
        "SELECT onlyonce.sweep()",
        "SELECT onlyonce.purge()",
        "SELECT onlyonce.pause('x', 'x')",
        "SELECT onlyonce.resume('x')",
        "SELECT onlyonce.erase('send', 'a', 'x')",
        "SELECT onlyonce.import('send', 'b', now(), 'x', 'x')",
        "SELECT onlyonce.resolve('send', 'a', 1, 'abandon', 'x', 'x')",
        "SELECT onlyonce.resolve_event('claimed', 'a', 'release', 'x', 'x')",
        "SELECT onlyonce.mark_unknown('send', 'a', 1)",
    ] {
        assert_eq!(refusal(&worker, statement).await, "42501", "{statement}");
    }
    assert_eq!(reserve(&worker, "send", "a").await, "sent");
}

#[tokio::test]
async fn everybody_else_may_nothing() {
    on_every_major(public_may_nothing).await;
}

pub(crate) async fn public_may_nothing(ledger: &Ledger) {
    let open = "SELECT p.proname::text FROM pg_proc p, aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) a
        WHERE p.pronamespace = 'onlyonce'::regnamespace AND a.grantee = 0
      UNION ALL SELECT c.relname::text FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.relnamespace = 'onlyonce'::regnamespace AND a.grantee = 0
      UNION ALL SELECT n.nspname::text FROM pg_namespace n, aclexplode(n.nspacl) a
        WHERE n.nspname = 'onlyonce' AND a.grantee = 0";
    let open = ledger.root.query(open, &[]).await.unwrap();
    assert!(open.is_empty(), "{:?}", open.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>());
    let unfixed = "SELECT proname::text FROM pg_proc WHERE pronamespace = 'onlyonce'::regnamespace AND prosecdef
        AND NOT COALESCE('search_path=pg_catalog, onlyonce, pg_temp' = ANY (proconfig), false)";
    assert!(ledger.root.query(unfixed, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_superuser_too_is_refused_even_as_a_replica() {
    on_every_major(superuser_refused).await;
}

pub(crate) async fn superuser_refused(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for key in ["sent", "pending"] {
        go(&worker, "kept", key).await;
    }
    ledger.root.batch_execute("SELECT onlyonce.confirm('kept', 'sent', 'm', 'e')").await.unwrap();
    // A row in each table that keeps something.
    record(&worker, "kept", "sent", Uuid::new_v4(), "sent").await;
    ledger.root.batch_execute("SELECT onlyonce.accept_event('joined', 'e', gen_random_uuid(), '{}')").await.unwrap();
    for replica in ["origin", "replica", "local"] {
        let root = ledger.database.connect().await;
        root.batch_execute(&format!("SET session_replication_role = {replica}")).await.unwrap();
        forbidden(&root, replica).await;
    }
    pass_deadline().await;
    pass_deadline().await;
    let delete = "DELETE FROM onlyonce.actions WHERE idempotency_key = 'sent'";
    assert_eq!(refusal(&ledger.root, delete).await, "OO004", "past its time, but not by the purge");
    let pretend = format!("SET onlyonce.passing = 'purge'; {delete}");
    assert_eq!(refusal(&ledger.root, &pretend).await, "OO004", "saying that it is the purge makes nobody the owner");
    let rows = ledger.root.query("SELECT FROM onlyonce.actions", &[]).await.unwrap();
    assert_eq!(rows.len(), 2);
}

async fn forbidden(root: &Client, replica: &str) {
    let insert = |status: &str, attempt: i32| {
        format!(
            "INSERT INTO onlyonce.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
               settled_at, step, message_id, payload)
             VALUES ('send', 'new', '{status}', {attempt}, gen_random_uuid(), now(), now(), now(), 'x', 'm', '{{}}')"
        )
    };
    for statement in [
        insert("sent", 1),
        insert("pending", 2),
        "UPDATE onlyonce.actions SET status = 'pending', settled_at = NULL WHERE status = 'sent'".to_owned(),
        "UPDATE onlyonce.actions SET message_id = 'other' WHERE status = 'sent'".to_owned(),
        "UPDATE onlyonce.actions SET attempt = 7".to_owned(),
        "UPDATE onlyonce.actions SET token = gen_random_uuid()".to_owned(),
        "UPDATE onlyonce.actions SET deadline_at = now()".to_owned(),
        "UPDATE onlyonce.actions SET payload = '1'".to_owned(),
        // With a change of state that may be made.
        "UPDATE onlyonce.actions SET status = 'unknown', waits_since = now(), payload = '1' WHERE status = 'pending'"
            .to_owned(),
        "UPDATE onlyonce.actions SET idempotency_key = idempotency_key || 'x'".to_owned(),
        "UPDATE onlyonce.actions SET created_at = now()".to_owned(),
        "DELETE FROM onlyonce.actions".to_owned(),
        "TRUNCATE onlyonce.actions".to_owned(),
        "TRUNCATE onlyonce.transition_log".to_owned(),
        "DELETE FROM onlyonce.transition_log".to_owned(),
        "UPDATE onlyonce.transition_log SET evidence = 'other'".to_owned(),
        "TRUNCATE onlyonce.late_evidence".to_owned(),
        "DELETE FROM onlyonce.late_evidence".to_owned(),
        "UPDATE onlyonce.late_evidence SET message_id = 'other'".to_owned(),
        "TRUNCATE onlyonce.inbound_events".to_owned(),
        "DELETE FROM onlyonce.inbound_events".to_owned(),
        "UPDATE onlyonce.inbound_events SET status = 'received', processed_at = NULL".to_owned(),
        "DELETE FROM onlyonce.action_types WHERE name = 'kept'".to_owned(),
        "UPDATE onlyonce.action_types SET name = 'other' WHERE name = 'kept'".to_owned(),
        "TRUNCATE onlyonce.action_types".to_owned(),
        "DELETE FROM onlyonce.inbound_sources WHERE name = 'joined'".to_owned(),
        "TRUNCATE onlyonce.inbound_sources".to_owned(),
    ] {
        assert_eq!(refusal(root, &statement).await, "OO004", "{replica}: {statement}");
    }
}

#[tokio::test]
async fn only_the_changes_of_state_that_are_drawn_are_made() {
    on_every_major(state_machine).await;
}

pub(crate) async fn state_machine(ledger: &Ledger) {
    // The deadline of these rows is over, their type may be retried, and nothing of them was erased.
    let holds = |condition: &Condition| matches!(condition, Condition::PastDeadline | Condition::MayRetry);
    for from in State::ALL {
        for to in State::ALL {
            let (before, after) = (name(from), name(to));
            let done = refusal(&ledger.root, &format!("BEGIN; {} {}", put(before), change(before, after))).await;
            ledger.root.batch_execute("ROLLBACK").await.unwrap();
            let legal = table().unwrap().change(from, to).is_some_and(|change| change.guard.iter().all(holds));
            assert_eq!(done, if legal { "nothing" } else { "OO004" }, "{from} -> {to}");
        }
    }
}

/// Why it failed, or else its status.
fn name(state: State) -> &'static str {
    state.failure().unwrap_or(state.status())
}

/// Puts a row into a state past all guards.
fn put(state: &str) -> String {
    let failure = ["pending", "sent", "unknown"].iter().all(|plain| *plain != state);
    format!(
        "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;
         INSERT INTO onlyonce.actions (action_type, idempotency_key, status, failure, attempt, token, created_at,
           deadline_at, settled_at, waits_since, step, message_id, evidence, actor, payload)
         VALUES ('retry', 'a', '{status}', {reason}, 1, gen_random_uuid(), now(), now() - interval '1 second',
           {settled}, {waits}, 'x', 'm', 'e', 'p', '{{}}');
         ALTER TABLE onlyonce.actions ENABLE TRIGGER ALL;",
        status = if failure { "failed" } else { state },
        reason = if failure { format!("'{state}'") } else { "NULL".to_owned() },
        settled = if failure || state == "sent" { "now()" } else { "NULL" },
        waits = if ["pending", "sent", "abandoned"].contains(&state) { "NULL" } else { "now()" },
    )
}

/// The update that makes this change with all that the new state needs.
fn change(from: &str, to: &str) -> String {
    let failure = ["pending", "sent", "unknown"].iter().all(|plain| *plain != to);
    let again = if to == "pending" && from != "pending" { ", attempt = 2, token = gen_random_uuid()" } else { "" };
    format!(
        "UPDATE onlyonce.actions SET status = '{status}', failure = {reason}, settled_at = {settled}, waits_since = {waits} {again}",
        status = if failure { "failed" } else { to },
        reason = if failure { format!("'{to}'") } else { "NULL".to_owned() },
        settled = if failure || to == "sent" { "now()" } else { "NULL" },
        waits = if ["pending", "sent", "abandoned"].contains(&to) { "NULL" } else { "now()" },
    )
}

#[tokio::test]
async fn a_row_that_does_not_fit_its_status_is_refused_without_any_trigger() {
    on_every_major(unfit_rows).await;
}

pub(crate) async fn unfit_rows(ledger: &Ledger) {
    for (state, spoil, constraint) in [
        ("pending", "status = 'done'", "actions_sound"),
        ("pending", "idempotency_key = 'a b'", "actions_sound"),
        ("pending", "idempotency_key = ''", "actions_sound"),
        ("pending", "idempotency_key = repeat('x', 201)", "actions_sound"),
        ("pending", "settled_at = now()", "actions_sound"),
        ("pending", "failure = 'rejected'", "actions_sound"),
        ("pending", "payload = NULL", "actions_sound"),
        ("sent", "settled_at = NULL", "actions_sound"),
        ("sent", "message_id = NULL, evidence = NULL", "actions_sound"),
        ("sent", "waits_since = now()", "actions_sound"),
        ("sent", "status = 'failed', evidence = NULL", "actions_sound"),
        ("unknown", "waits_since = NULL", "actions_sound"),
        ("rejected", "failure = NULL", "actions_sound"),
        ("rejected", "failure = 'whim'", "actions_sound"),
        ("released", "actor = NULL", "actions_sound"),
        ("released", "evidence = NULL", "actions_sound"),
        ("abandoned", "waits_since = now()", "actions_sound"),
    ] {
        let off = "ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL;";
        let statement = format!("BEGIN; {} {off} UPDATE onlyonce.actions SET {spoil};", put(state));
        let error = ledger.root.batch_execute(&statement).await.expect_err(spoil);
        ledger.root.batch_execute("ROLLBACK").await.unwrap();
        assert_eq!(error.as_db_error().and_then(|said| said.constraint()), Some(constraint), "{state}: {spoil}");
    }
    for column in ["action_type", "idempotency_key", "status", "attempt", "token", "created_at", "deadline_at"] {
        let statement = format!(
            "BEGIN; {} ALTER TABLE onlyonce.actions DISABLE TRIGGER ALL; UPDATE onlyonce.actions SET {column} = NULL",
            put("pending")
        );
        assert_eq!(refusal(&ledger.root, &statement).await, "23502", "{column}");
        ledger.root.batch_execute("ROLLBACK").await.unwrap();
    }
}

#[tokio::test]
async fn a_temporary_table_named_actions_takes_nothing() {
    on_every_major(temporary_table).await;
}

pub(crate) async fn temporary_table(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let shadow = "CREATE TEMP TABLE actions (action_type text, idempotency_key text, status text, attempt int, token uuid,
          created_at timestamptz, deadline_at timestamptz, step text, payload jsonb);
        CREATE TEMP TABLE action_types (name text);
        GRANT ALL ON actions, action_types TO PUBLIC;
        CREATE FUNCTION pg_temp.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT timestamptz ''2000-01-01''';
        SET search_path = pg_temp, onlyonce, pg_catalog";
    worker.batch_execute(shadow).await.unwrap();
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    assert_eq!(worker.query("SELECT FROM pg_temp.actions", &[]).await.unwrap().len(), 0);
    assert_eq!(ledger.status("send", "a").await, "sent");
    let sane = "SELECT created_at > '2020-01-01' FROM onlyonce.actions";
    assert!(ledger.root.query_one(sane, &[]).await.unwrap().get::<_, bool>(0));
}

#[tokio::test]
async fn every_change_of_state_is_written_down() {
    on_every_major(history).await;
}

pub(crate) async fn history(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "unknown").await;
    pass_deadline().await;
    resolve(&person, "send", "a", 1, "not_sent").await.unwrap();
    let token = go(&worker, "send", "a").await;
    record(&worker, "send", "a", token, "sent").await;
    let steps =
        "SELECT attempt || ' ' || from_status || ' ' || to_status || ' ' || step FROM onlyonce.action_transitions
        WHERE idempotency_key = 'a' ORDER BY id";
    let steps: Vec<String> = ledger.root.query(steps, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(
        steps,
        ["1 pending unknown record", "1 unknown failed resolve", "2 failed pending reserve", "2 pending sent record"]
    );
}
