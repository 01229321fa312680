//! Sweep, purge, counts, the queue and what is kept.

use super::{Weakening, scenario};
use crate::{crashes, erased, keeping, keys, people, races, verdicts};

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
            "(a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted') OR",
            "(a.failure IN ('rejected', 'exhausted') OR",
        )],
        scenario: scenario!(crashes::before_connect),
    },
    Weakening {
        name: "what was rejected stands in no queue",
        swaps: &[(
            "(a.status = 'unknown' OR a.failure IN ('rejected', 'exhausted') OR",
            "(a.status = 'unknown' OR a.failure = 'exhausted' OR",
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
        swaps: &[("room CONSTANT integer := LEAST(GREATEST($1, 0), 10000);", "room CONSTANT integer := 10000;")],
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
        swaps: &[("IS NOT NULL AND g.rows > 1)", "IS NOT NULL AND g.rows > 2)")],
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
    Weakening {
        name: "what is told of an erased action stays",
        swaps: &[("evidence = CASE WHEN a.stripped_at IS NULL THEN $4 END", "evidence = $4")],
        scenario: scenario!(erased::told_later),
    },
    Weakening {
        name: "what is kept of a late outcome is kept beside an erasure",
        swaps: &[("AND a.idempotency_key = $2 FOR SHARE;", "AND a.idempotency_key = $2;")],
        scenario: scenario!(erased::told_meanwhile),
    },
    Weakening {
        name: "what goes again by itself may be given up",
        swaps: &[("legal := legal AND OLD.stripped_at IS NOT NULL;", "NULL;")],
        scenario: scenario!(erased::ended),
    },
    Weakening {
        name: "what was erased before it was sent stands in no queue",
        swaps: &[(" OR a.stripped_at IS NOT NULL)\n    UNION ALL", ")\n    UNION ALL")],
        scenario: scenario!(erased::ended),
    },
    Weakening {
        name: "results that came late outlive the action's own",
        swaps: &[("AND l.idempotency_key = due.idempotency_key AND l.result IS NOT NULL;", "AND false;")],
        scenario: scenario!(erased::late_results),
    },
    Weakening {
        name: "what came late for no action is kept for ever",
        swaps: &[("PERFORM onlyonce.purge_late(started, room);", "")],
        scenario: scenario!(erased::late_results),
    },
    Weakening {
        name: "the sweep never looks behind its progress",
        swaps: &[("AND p.status = 'pending' AND p.deadline_at <= s.swept_to", "AND p.deadline_at > s.swept_to")],
        scenario: scenario!(races::restored_behind),
    },
    Weakening {
        name: "the sweep looks behind its progress in one place alone",
        swaps: &[("PERFORM onlyonce.note_looked(to_page);", "")],
        scenario: scenario!(races::restored_behind),
    },
    Weakening {
        name: "counting message ids reads everything",
        swaps: &[("ORDER BY a.deadline_at DESC LIMIT 10000)", "ORDER BY a.deadline_at DESC)")],
        scenario: scenario!(keeping::bounded_count),
    },
    Weakening {
        name: "a pause does not say what holds it up",
        swaps: &[("EXCEPTION WHEN lock_not_available", "EXCEPTION WHEN division_by_zero")],
        scenario: scenario!(people::held_up),
    },
];
