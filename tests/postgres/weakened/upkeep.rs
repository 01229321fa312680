//! Sweep, purge, counts, the queue and what is kept.

use super::{Weakening, scenario};
use crate::{crashes, keeping, keys, people, races, verdicts};

pub(super) const WEAKENINGS: &[Weakening] = &[
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
        name: "the sweep writes by key from what it saw",
        swaps: &[
            ("          AND a.status = 'pending' AND a.deadline_at < started\n", ""),
            (
                "WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.attempt = $3\n      AND a.status = 'pending' AND",
                "WHERE a.action_type = $1 AND a.idempotency_key = $2 AND",
            ),
            ("IF NOT legal THEN", "IF false THEN"),
            (
                "SET status = 'unknown', waits_since = a.deadline_at,",
                "SET status = 'unknown', settled_at = NULL, waits_since = a.deadline_at,",
            ),
        ],
        scenario: scenario!(races::settled_after_look),
    },
    Weakening {
        name: "one bad row stops the sweep",
        swaps: &[(
            "    EXCEPTION WHEN OTHERS THEN\n      reached :=",
            "    EXCEPTION WHEN division_by_zero THEN\n      reached :=",
        )],
        scenario: scenario!(races::bad_row),
    },
    Weakening {
        name: "the sweep's progress does not wait for open transactions",
        swaps: &[
            (
                "WHERE (s.asked_xid <= pg_catalog.pg_snapshot_xmin($3) OR s.asked_xid > pg_catalog.pg_snapshot_xmax($3))\n      AND",
                "WHERE",
            ),
            ("CASE WHEN s.asked_xid <= pg_catalog.pg_snapshot_xmin($3) THEN", "CASE WHEN true THEN"),
        ],
        scenario: scenario!(races::late_commit),
    },
    Weakening {
        name: "the sweep marks nothing",
        swaps: &[(
            "ELSIF onlyonce.mark_unknown(due.action_type, due.idempotency_key, due.attempt) THEN",
            "ELSIF false THEN",
        )],
        scenario: scenario!(crashes::before_connect),
    },
    Weakening {
        name: "what is overdue stands in no queue before a sweep",
        swaps: &[(
            "AND p.deadline_at < pg_catalog.clock_timestamp() AND p.status = 'pending') AS a) AS w",
            "AND false) AS a) AS w",
        )],
        scenario: scenario!(verdicts::silent_worker),
    },
    Weakening {
        name: "what is unknown stands in no queue",
        swaps: &[(
            "(a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted'))",
            "a.failure IN ('rejected', 'exhausted')",
        )],
        scenario: scenario!(crashes::before_connect),
    },
    Weakening {
        name: "what was rejected stands in no queue",
        swaps: &[(
            "(a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted'))",
            "(a.status = 'unknown' OR a.failure = 'exhausted')",
        )],
        scenario: scenario!(people::two_persons),
    },
    Weakening {
        name: "what may not go is shown as released",
        swaps: &[(
            "AND ((a.status = 'failed' AND a.failure IN ('not_attempted', 'released'))",
            "AND ((a.status = 'failed' AND a.failure IN ('not_attempted', 'released', 'exhausted'))",
        )],
        scenario: scenario!(verdicts::not_attempted),
    },
    Weakening {
        name: "the purge takes what is not final",
        swaps: &[("AND (a.status = 'sent' OR a.failure = 'abandoned')", "")],
        scenario: scenario!(keeping::payloads_then_keys),
    },
    Weakening {
        name: "the purge knows no limit",
        swaps: &[("room CONSTANT integer := LEAST($1, 10000);", "room CONSTANT integer := 10000;")],
        scenario: scenario!(keeping::limited),
    },
    Weakening {
        name: "the purge takes events that are not finished",
        swaps: &[
            (
                "AND e.received_at <= started - origin.retention AND e.status = 'processed'",
                "AND e.received_at <= started - origin.retention",
            ),
            ("AND e.event_id = due.event_id AND e.status = 'processed';", "AND e.event_id = due.event_id;"),
            ("IF OLD.status = 'processed' AND onlyonce.is_passing", "IF onlyonce.is_passing"),
        ],
        scenario: scenario!(keeping::events),
    },
    Weakening {
        name: "a model's action is stripped and stays",
        swaps: &[("CASE kind WHEN 'model' THEN LEAST(keep, keep_key) ELSE keep_key END", "keep_key")],
        scenario: scenario!(keeping::model_goes_whole),
    },
    Weakening {
        name: "a model's action is kept as long as its key",
        swaps: &[("CASE kind WHEN 'model' THEN LEAST(keep, keep_key) ELSE keep_key END", "keep_key")],
        scenario: scenario!(keeping::model_goes_whole),
    },
    Weakening {
        name: "nothing is counted",
        swaps: &[
            ("INSERT INTO onlyonce.duplicate_log (scope, name, kind) VALUES ($1, $2, $3);", "NULL;"),
            ("INSERT INTO onlyonce.duplicate_log (scope, name, kind) VALUES ('action', $1, verdict);", "NULL;"),
        ],
        scenario: scenario!(verdicts::repeated_key),
    },
    Weakening {
        name: "counts that were added up before are lost",
        swaps: &[(
            "ON CONFLICT (scope, name, kind) DO UPDATE SET hits = d.hits + EXCLUDED.hits",
            "ON CONFLICT (scope, name, kind) DO NOTHING",
        )],
        scenario: scenario!(keeping::added_up),
    },
    Weakening {
        name: "a message id may stand on two keys",
        swaps: &[("HAVING pg_catalog.count(*) > 1", "HAVING pg_catalog.count(*) > 2")],
        scenario: scenario!(keeping::shared_message_id),
    },
    Weakening {
        name: "a key's parts run into each other",
        swaps: &[(
            "joined := pg_catalog.array_to_string(escaped, ':');",
            "joined := pg_catalog.array_to_string(escaped, '');",
        )],
        scenario: scenario!(keys::shared_vectors),
    },
    Weakening {
        name: "what is erased stays in the history",
        swaps: &[("AS h SET reason = NULL, evidence = NULL", "AS h SET reason = h.reason")],
        scenario: scenario!(people::erased),
    },
];
