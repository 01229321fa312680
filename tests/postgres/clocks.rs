//! The database's clock is the only one.

use crate::ledger::{Ledger, go, on_every_major};

#[tokio::test]
async fn a_session_s_time_zone_moves_no_deadline() {
    on_every_major(time_zones).await;
}

pub(crate) async fn time_zones(ledger: &Ledger) {
    for zone in ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu"] {
        let worker = ledger.worker().await;
        worker.batch_execute(&format!("SET TimeZone = '{zone}'")).await.unwrap();
        let key = zone.replace('+', "-");
        go(&worker, "send", &key).await;
        let row = "SELECT deadline_at BETWEEN created_at + interval '1 s' AND created_at + interval '1.1 s',
            clock_timestamp() - created_at BETWEEN interval '0' AND interval '1 minute'
          FROM onlyonce.actions WHERE idempotency_key = $1";
        let row = ledger.root.query_one(row, &[&key]).await.unwrap();
        assert_eq!((row.get(0), row.get(1)), (true, true), "{zone}");
    }
}

#[tokio::test]
async fn no_worker_tells_the_ledger_what_time_it_is() {
    on_every_major(no_client_clock).await;
}

/// A clock that is an hour off cannot matter where nobody asks for it: the one time that a worker hands over is when
/// the provider says that an event occurred, which is compared with the retention alone.
pub(crate) async fn no_client_clock(ledger: &Ledger) {
    let takes_time = "SELECT p.proname::text, p.proargnames::text FROM pg_proc p
      WHERE p.pronamespace = 'onlyonce'::regnamespace AND has_function_privilege('worker', p.oid, 'EXECUTE')
        AND p.proargtypes::oid[] && ARRAY['timestamptz', 'timestamp', 'date', 'time', 'timetz']::regtype[]::oid[]";
    let rows = ledger.root.query(takes_time, &[]).await.unwrap();
    let taking: Vec<&str> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(taking, ["accept_event"]);
}
