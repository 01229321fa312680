//! The ledger where its servers crash, fail over, replicate, or stand behind a pooler. Each run is judged by I1 to I8.

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

#[path = "infrastructure/pooled.rs"]
mod pooled;
#[path = "infrastructure/power.rs"]
mod power;
#[path = "infrastructure/standby.rs"]
mod standby;
#[path = "infrastructure/subscriber.rs"]
mod subscriber;
