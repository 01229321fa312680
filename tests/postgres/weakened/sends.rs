//! What workers reserve and record, and what persons decide.

use super::{Weakening, scenario};
use crate::{crashes, people, races, transactions, verdicts, zombies};

pub(super) const WEAKENINGS: &[Weakening] = &[
    Weakening {
        name: "the key is not unique",
        swaps: &[
            (
                "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),",
                "id bigint GENERATED ALWAYS AS IDENTITY,",
            ),
            ("ON CONFLICT (action_type, idempotency_key) DO NOTHING", ""),
        ],
        scenario: scenario!(races::unknown_meanwhile),
    },
    Weakening {
        name: "the key is unique only while pending",
        swaps: &[(
            "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),",
            "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key, status),",
        )],
        scenario: scenario!(verdicts::repeated_key),
    },
    Weakening {
        name: "the key is unique only while it is active",
        swaps: &[
            (
                "CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),",
                "id bigint GENERATED ALWAYS AS IDENTITY,",
            ),
            (
                "CREATE INDEX actions_aside",
                "CREATE UNIQUE INDEX partial ON onlyonce.actions (action_type, idempotency_key) WHERE status = 'pending';\nCREATE INDEX actions_aside",
            ),
            (
                "ON CONFLICT (action_type, idempotency_key) DO NOTHING",
                "ON CONFLICT (action_type, idempotency_key) WHERE status = 'pending' DO NOTHING",
            ),
        ],
        scenario: scenario!(races::unknown_meanwhile),
    },
    Weakening {
        name: "a clash is no longer waited for",
        swaps: &[(
            "ON CONFLICT (action_type, idempotency_key) DO NOTHING;\n    IF FOUND",
            "ON CONFLICT (action_type, idempotency_key) DO UPDATE SET step = 'again';\n    IF FOUND",
        )],
        scenario: scenario!(races::unknown_meanwhile),
    },
    Weakening {
        name: "everybody may go again",
        swaps: &[("WHEN found_row.token = $3 THEN 'go_again'", "WHEN true THEN 'go_again'")],
        scenario: scenario!(verdicts::repeated_key),
    },
    Weakening {
        name: "a token goes again past its deadline",
        swaps: &[(
            "WHEN found_row.status = 'unknown' OR overdue THEN 'unknown'",
            "WHEN found_row.status = 'unknown' THEN 'unknown'",
        )],
        scenario: scenario!(verdicts::same_token),
    },
    Weakening {
        name: "who lost an acknowledgement is told that another is at it",
        swaps: &[("WHEN found_row.token = $3 THEN 'go_again'", "WHEN false THEN 'go_again'")],
        scenario: scenario!(crashes::acknowledgement_lost),
    },
    Weakening {
        name: "a deadline leads to another send",
        swaps: &[("AND found_row.when_unknown = 'retry'", ""), ("AND t.when_unknown = 'retry')", ")")],
        scenario: scenario!(crashes::response_pending),
    },
    Weakening {
        name: "what was released goes to all that saw it",
        swaps: &[
            ("AND a.idempotency_key = $2 AND a.attempt = found_row.attempt\n", "AND a.idempotency_key = $2\n"),
            (
                "AND (a.status = 'unknown' OR (a.status = 'failed' AND a.failure IN ('not_attempted', 'released')))\n",
                "",
            ),
            ("          AND (a.status = 'unknown') = (found_row.status <> 'failed')\n", ""),
            ("IF NEW.status = OLD.status AND", "IF false AND"),
            ("IF NOT legal THEN", "IF false THEN"),
        ],
        scenario: scenario!(races::released_to_one),
    },
    Weakening {
        name: "a purge between its two statements leaves reserve without a verdict",
        swaps: &[("IF found_row.attempt IS NULL THEN", "IF found_row.attempt IS NULL THEN\n      RETURN;")],
        scenario: scenario!(races::purged_between),
    },
    Weakening {
        name: "what was erased meanwhile goes again",
        swaps: &[("AND a.payload IS NOT NULL;", ";")],
        scenario: scenario!(races::erased_meanwhile),
    },
    Weakening {
        name: "a pause stops nobody",
        swaps: &[
            ("IF found_row.paused THEN", "IF false THEN"),
            ("FROM onlyonce.maintenance AS s WHERE NOT s.paused;", "FROM onlyonce.maintenance AS s;"),
        ],
        scenario: scenario!(people::paused),
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
        name: "a late outcome settles nothing",
        swaps: &[(
            "AND a.token = $3 AND a.status IN ('pending', 'unknown');",
            "AND a.token = $3 AND a.status = 'pending';",
        )],
        scenario: scenario!(zombies::slept_after_call),
    },
    Weakening {
        name: "late evidence is dropped",
        swaps: &[(
            "PERFORM onlyonce.keep_late($1, $2, $3, $4, $5, CASE WHEN found_row.stripped_at IS NULL THEN $6 END,\n    CASE WHEN found_row.stripped_at IS NULL THEN $7 END, NULL);",
            "NULL;",
        )],
        scenario: scenario!(zombies::given_up),
    },
    Weakening {
        name: "what was recorded is not known again",
        swaps: &[("told_before := found_row.token = $3 AND CASE $4", "told_before := false AND CASE $4")],
        scenario: scenario!(crashes::recorded_unseen),
    },
    Weakening {
        name: "a status event settles what failed",
        swaps: &[
            (
                "evidence = CASE WHEN a.stripped_at IS NULL THEN $4 END\n    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.status IN ('pending', 'unknown');",
                "failure = NULL, evidence = $4\n    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.status <> 'sent';",
            ),
            ("IF NOT legal THEN", "IF false THEN"),
        ],
        scenario: scenario!(verdicts::confirmed),
    },
    Weakening {
        name: "attempts are never used up",
        swaps: &[("THEN 'exhausted' ELSE $4 END", "THEN $4 ELSE $4 END")],
        scenario: scenario!(verdicts::not_attempted),
    },
    Weakening {
        name: "a model's plan is not given back",
        swaps: &[
            ("result := found_row.result;", "result := NULL;"),
            ("a.message_id, a.result, a.reason\n    INTO", "a.message_id, NULL::jsonb, a.reason\n    INTO"),
        ],
        scenario: scenario!(crashes::model_killed),
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
        name: "what was erased may be sent again",
        swaps: &[("IF $4 = 'not_sent' AND found_row.stripped_at IS NOT NULL THEN", "IF false THEN")],
        scenario: scenario!(people::erased),
    },
    Weakening {
        name: "an import from a time to come",
        swaps: &[("$3 IS NULL OR $3 > pg_catalog.clock_timestamp() OR NOT pg_catalog.isfinite($3)", "$3 IS NULL")],
        scenario: scenario!(people::imported),
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
        name: "a stricter commit is lowered",
        swaps: &[("NOT IN ('on', 'remote_apply')", "<> 'on'")],
        scenario: scenario!(transactions::stricter),
    },
    Weakening {
        name: "a go is committed as a mere count is",
        swaps: &[(
            "    send_budget := answer.send_budget;\n  ELSE\n",
            "    send_budget := answer.send_budget;\n    durability := pg_catalog.set_config('synchronous_commit', 'off', true);\n  ELSE\n",
        )],
        scenario: scenario!(transactions::stricter),
    },
    Weakening {
        name: "the payload of the caller wins",
        swaps: &[("    payload_kept := found_row.payload;", "    payload_kept := $4;")],
        scenario: scenario!(verdicts::first_payload),
    },
    Weakening {
        name: "a retry past the provider's key window",
        swaps: &[("<= found_row.created_at + found_row.key_window", "IS NOT NULL")],
        scenario: scenario!(verdicts::retried),
    },
];
