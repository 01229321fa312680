//! The team's ledger of `tests/sql/adopted.sql`, as a manifest would name it.

use onlyonce::lint::{Keyed, Ledger};
use onlyonce::schema::Name;

pub(crate) fn ledger() -> Ledger {
    Ledger {
        ours: None,
        actions: keyed("public.agent_actions", &["tenant", "idem_key"]),
        status: "state".to_owned(),
        inbound: Some(keyed("public.webhook_events", &["event_id"])),
        app_role: Some("agent".to_owned()),
    }
}

fn keyed(table: &str, key: &[&str]) -> Keyed {
    Keyed { table: Name::parse(table), key: key.iter().map(|&column| column.to_owned()).collect() }
}
