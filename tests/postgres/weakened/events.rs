//! What comes in.

use super::{Weakening, scenario};
use crate::inbound;

pub(super) const WEAKENINGS: &[Weakening] = &[
    Weakening {
        name: "an event is known by its body too",
        swaps: &[(
            "CONSTRAINT inbound_events_pkey PRIMARY KEY (source, event_id),",
            "CONSTRAINT inbound_events_pkey PRIMARY KEY (source, event_id, received_at),",
        )],
        scenario: scenario!(inbound::three_in_turn),
    },
    Weakening {
        name: "a claim that stands is taken over",
        swaps: &[
            ("AND found_row.claimed_until < pg_catalog.clock_timestamp() THEN", "THEN"),
            ("AND e.claims = found_row.claims\n          AND e.claimed_until < pg_catalog.clock_timestamp();", ";"),
        ],
        scenario: scenario!(inbound::three_in_turn),
    },
    Weakening {
        name: "a claim that ran out goes to everybody who asks",
        swaps: &[(
            "AND e.claims = found_row.claims\n          AND e.claimed_until < pg_catalog.clock_timestamp();",
            ";",
        )],
        scenario: scenario!(inbound::reclaimed),
    },
    Weakening {
        name: "an event is finished by whoever says so",
        swaps: &[(
            "WHERE e.source = $1 AND e.event_id = $2 AND e.token = $3 AND e.status = 'received';",
            "WHERE e.source = $1 AND e.event_id = $2 AND e.status = 'received';",
        )],
        scenario: scenario!(inbound::three_in_turn),
    },
    Weakening {
        name: "another body under the same id is no conflict",
        swaps: &[("IF found_row.body <> offered THEN", "IF false THEN")],
        scenario: scenario!(inbound::conflict),
    },
    Weakening {
        name: "what is older than the retention is fresh",
        swaps: &[("too_old := COALESCE(", "too_old := false AND COALESCE(")],
        scenario: scenario!(inbound::stale),
    },
    Weakening {
        name: "a freed event can still be finished by its first claim",
        swaps: &[("found_row.token := pg_catalog.gen_random_uuid();", "NULL;")],
        scenario: scenario!(inbound::settled_by_person),
    },
    Weakening {
        name: "a duplicate event is not counted",
        swaps: &[("PERFORM onlyonce.tally('inbound', $1, 'duplicate');", "NULL;")],
        scenario: scenario!(inbound::one_effect),
    },
    Weakening {
        name: "accepted in its transaction, and not final with it",
        swaps: &[
            ("CASE WHEN rules.mode = 'claim' THEN 'received' ELSE 'processed' END", "'received'"),
            ("CASE WHEN rules.mode = 'claim' THEN NULL ELSE checked_at END", "NULL"),
        ],
        scenario: scenario!(inbound::three_at_once),
    },
];
