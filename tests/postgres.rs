//! The ledger on real servers, one scenario a test. `ONLYONCE_POSTGRES=14,15,16,17,18` runs them on each.
//!
//! A scenario is a function of a ledger, so that `weakened` can run it on a ledger that lost a guarantee and see
//! it fail.

mod support;

#[path = "postgres/alongside.rs"]
mod alongside;
#[path = "postgres/broken.rs"]
mod broken;
#[path = "postgres/changes.rs"]
mod changes;
#[path = "postgres/citus.rs"]
mod citus;
#[path = "postgres/clocks.rs"]
mod clocks;
#[path = "postgres/crashes.rs"]
mod crashes;
#[path = "postgres/erased.rs"]
mod erased;
#[path = "postgres/gate.rs"]
mod gate;
#[path = "postgres/guards.rs"]
mod guards;
#[path = "postgres/inbound.rs"]
mod inbound;
#[path = "postgres/invariants.rs"]
mod invariants;
#[path = "postgres/keeping.rs"]
mod keeping;
#[path = "postgres/keys.rs"]
mod keys;
#[path = "postgres/ledger.rs"]
mod ledger;
#[path = "postgres/migrations.rs"]
mod migrations;
#[path = "postgres/partitions.rs"]
mod partitions;
#[path = "postgres/people.rs"]
mod people;
#[path = "postgres/process.rs"]
mod process;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "postgres/provider.rs"]
mod provider;
#[path = "postgres/races.rs"]
mod races;
#[allow(dead_code, reason = "each test program uses its part")]
#[path = "model/row.rs"]
mod row;
#[path = "postgres/states.rs"]
mod states;
#[path = "postgres/transactions.rs"]
mod transactions;
#[path = "postgres/verdicts.rs"]
mod verdicts;
#[path = "postgres/weakened.rs"]
mod weakened;
#[path = "postgres/wire.rs"]
mod wire;
#[path = "postgres/worker.rs"]
mod worker;
#[path = "postgres/zombies.rs"]
mod zombies;
