//! The commands on a live ledger, run as people and cron run them: the program itself, against real servers, with
//! the role's own rights and no more. `ONLYONCE_POSTGRES=14,15,16,17,18` runs them on each.

mod support;

#[path = "live/alerts.rs"]
mod alerts;
#[path = "live/connection.rs"]
mod connection;
#[path = "live/import.rs"]
mod import;
#[path = "postgres/ledger.rs"]
#[allow(dead_code, reason = "the scenarios in tests/postgres use the rest")]
mod ledger;
#[path = "live/orders.rs"]
mod orders;
#[path = "live/program.rs"]
mod program;
#[path = "live/queue.rs"]
mod queue;
#[path = "live/resolve.rs"]
mod resolve;
#[path = "support/sql_case.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod sql_case;
#[path = "live/stats.rs"]
mod stats;
#[path = "live/upkeep.rs"]
mod upkeep;
#[path = "live/verify.rs"]
mod verify;
