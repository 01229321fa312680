//! Each guarantee taken away, and the scenario that notices. A test that passes without the guarantee tests nothing.

use std::pin::Pin;

use onlyonce::manifest::Roles;

use crate::ledger::{Ledger, emitted, script};
use crate::support::{majors, server};
use crate::{guards, inbound, keeping, people, races, transactions, verdicts};

type Scenario = fn(&Ledger) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

/// What stands in the ledger and what stands there instead, and who notices.
struct Weakening {
    name: &'static str,
    swaps: &'static [(&'static str, &'static str)],
    scenario: Scenario,
}

macro_rules! scenario {
    ($path:path $(, $value:expr)?) => {
        |ledger| Box::pin($path(ledger $(, $value)?))
    };
}

const WEAKENINGS: &[Weakening] = &[
    Weakening {
        name: "the key is unique only while pending",
        swaps: &[(
            "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),",
            "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key, status),",
        )],
        scenario: scenario!(verdicts::repeated_key),
    },
    Weakening {
        name: "a clash is no longer waited for",
        swaps: &[(
            "ON CONFLICT (action_type, idempotency_key) DO NOTHING;\n      IF FOUND THEN\n        verdict := 'go';",
            "ON CONFLICT (action_type, idempotency_key) DO UPDATE SET step = 'again';\n      IF FOUND THEN\n        verdict := 'go';",
        )],
        scenario: scenario!(races::workers, 2),
    },
    Weakening {
        name: "record asks for no token",
        swaps: &[(
            "AND a.token = $3 AND a.status IN ('pending', 'unknown');",
            "AND a.status IN ('pending', 'unknown');",
        )],
        scenario: scenario!(verdicts::zombie),
    },
    Weakening {
        name: "the sweep moves what is not overdue",
        swaps: &[
            ("AND p.deadline_at < started AND p.status", "AND p.status"),
            ("AND a.status = 'pending' AND a.deadline_at < started", "AND a.status = 'pending'"),
            ("AND a.status = 'pending' AND a.deadline_at < pg_catalog.clock_timestamp();", "AND a.status = 'pending';"),
        ],
        scenario: scenario!(verdicts::silent_worker),
    },
    Weakening {
        name: "one bad row stops the sweep",
        swaps: &[(
            "    EXCEPTION WHEN OTHERS THEN\n      all_settled := false;",
            "    EXCEPTION WHEN division_by_zero THEN\n      all_settled := false;",
        )],
        scenario: scenario!(races::bad_row),
    },
    Weakening {
        name: "the sweep's progress does not wait for open transactions",
        swaps: &[(
            "WHERE s.only_row = (SELECT f.only_row FROM onlyonce.maintenance AS f FOR UPDATE SKIP LOCKED)\n      AND s.asked_xid <= pg_catalog.pg_snapshot_xmin($3) AND",
            "WHERE",
        )],
        scenario: scenario!(races::late_commit),
    },
    Weakening {
        name: "no quarantine before not_sent",
        swaps: &[("IF $4 = 'not_sent' AND found_row.status IN ('pending', 'unknown') AND", "IF false AND")],
        scenario: scenario!(people::quarantine),
    },
    Weakening {
        name: "an older attempt may be resolved",
        swaps: &[("IF $3 IS DISTINCT FROM found_row.attempt THEN", "IF false THEN")],
        scenario: scenario!(people::two_persons),
    },
    Weakening {
        name: "reserve commits nothing",
        swaps: &[("END IF;\n  COMMIT;\nEND", "END IF;\nEND")],
        scenario: scenario!(transactions::inside_transaction),
    },
    Weakening {
        name: "commits as the session has it",
        swaps: &[("PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);", "NULL;")],
        scenario: scenario!(transactions::stricter),
    },
    Weakening {
        name: "the payload of the caller wins",
        swaps: &[("    payload_kept := found_row.payload;", "    payload_kept := offered;")],
        scenario: scenario!(verdicts::first_payload),
    },
    Weakening {
        name: "a trigger that replicas pass by",
        swaps: &[(
            "ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_update",
            "ALTER TABLE onlyonce.actions ENABLE TRIGGER actions_guard_update",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "no guard on truncate",
        swaps: &[(
            "CREATE TRIGGER actions_guard_truncate BEFORE TRUNCATE ON onlyonce.actions",
            "CREATE TRIGGER actions_guard_truncate AFTER INSERT ON onlyonce.actions",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "rows that do not fit their status",
        swaps: &[(
            "RETURN failure IS NULL AND settled_at IS NOT NULL AND waits_since IS NULL",
            "RETURN true OR waits_since IS NULL",
        )],
        scenario: scenario!(guards::unfit_rows),
    },
    Weakening {
        name: "functions that everybody may call",
        swaps: &[("REVOKE ALL ON ALL ROUTINES IN SCHEMA onlyonce FROM PUBLIC;", "")],
        scenario: scenario!(guards::public_may_nothing),
    },
    Weakening {
        name: "a retry past the provider's key window",
        swaps: &[("<= found_row.created_at + rules.key_window", "IS NOT NULL")],
        scenario: scenario!(verdicts::retried),
    },
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
        name: "a model's action is stripped and stays",
        swaps: &[("FROM onlyonce.action_types AS t WHERE t.kind <> 'model'", "FROM onlyonce.action_types AS t")],
        scenario: scenario!(keeping::model_goes_whole),
    },
];

#[tokio::test]
async fn every_lost_guarantee_is_noticed() {
    let whole = script(&emitted(Roles::Create)).0;
    let mut unnoticed = Vec::new();
    for weakening in WEAKENINGS {
        let mut weak = whole.clone();
        for (from, to) in weakening.swaps {
            assert!(weak.contains(from), "{}: the ledger does not say {from:?}", weakening.name);
            weak = weak.replace(from, to);
        }
        // It has to be a ledger still, or everything would notice.
        let ledger = Ledger::of(server(majors()[0]), &weak).await;
        let scenario = weakening.scenario;
        let run = tokio::spawn(async move { scenario(&ledger).await });
        if run.await.is_ok() {
            unnoticed.push(weakening.name);
        }
    }
    assert!(unnoticed.is_empty(), "their scenarios pass without them: {unnoticed:#?}");
}
