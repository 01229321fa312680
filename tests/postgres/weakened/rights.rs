//! Who may what, and what nobody may.

use super::{Weakening, scenario};
use crate::{guards, people};

pub(super) const WEAKENINGS: &[Weakening] = &[
    Weakening {
        name: "a trigger that replicas pass by",
        swaps: &[(
            "ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_update",
            "ALTER TABLE onlyonce.actions ENABLE TRIGGER actions_guard_update",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "an action may start as sent",
        swaps: &[("ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_insert", DISABLE_INSERT)],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "any change of state may be made",
        swaps: &[("IF NOT legal THEN", "IF false THEN")],
        scenario: scenario!(guards::state_machine),
    },
    Weakening {
        name: "a change of state is not written down",
        swaps: &[(
            "    OLD.status, OLD.failure, NEW.status, NEW.failure, NEW.step, NEW.message_id,",
            "    OLD.status, OLD.failure, NEW.status, NEW.failure, 'x', NEW.message_id,",
        )],
        scenario: scenario!(guards::history),
    },
    Weakening {
        name: "a payload changes with the state",
        swaps: &[("ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_facts", DISABLE_FACTS)],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "an action may be deleted",
        swaps: &[("ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER actions_guard_delete", DISABLE_DELETE)],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "whoever says that it is the purge is the purge",
        swaps: &[("WHERE c.oid = guarded AND r.rolname = current_user)", "WHERE c.oid = guarded)")],
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
        name: "history may be rewritten",
        swaps: &[(
            "ALTER TABLE onlyonce.transition_log ENABLE ALWAYS TRIGGER transition_log_guard;",
            "ALTER TABLE onlyonce.transition_log DISABLE TRIGGER transition_log_guard;",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "late evidence may be removed",
        swaps: &[(
            "ALTER TABLE onlyonce.late_evidence ENABLE ALWAYS TRIGGER late_evidence_guard;",
            "ALTER TABLE onlyonce.late_evidence DISABLE TRIGGER late_evidence_guard;",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "an event may be taken back",
        swaps: &[(
            "ALTER TABLE onlyonce.inbound_events ENABLE ALWAYS TRIGGER inbound_events_guard;",
            "ALTER TABLE onlyonce.inbound_events DISABLE TRIGGER inbound_events_guard;",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "a type in use may be deleted",
        swaps: &[(
            "ALTER TABLE onlyonce.action_types ENABLE ALWAYS TRIGGER action_types_guard;",
            "ALTER TABLE onlyonce.action_types DISABLE TRIGGER action_types_guard;",
        )],
        scenario: scenario!(guards::superuser_refused),
    },
    Weakening {
        name: "a source in use may be deleted",
        swaps: &[(
            "ALTER TABLE onlyonce.inbound_sources ENABLE ALWAYS TRIGGER inbound_sources_guard;",
            "ALTER TABLE onlyonce.inbound_sources DISABLE TRIGGER inbound_sources_guard;",
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
        name: "a message of which nothing is known counts as sent",
        swaps: &[(
            "RETURN status = 'sent' AND payload IS NOT NULL AND (message_id IS NOT NULL OR result IS NOT NULL);",
            "RETURN status = 'sent' AND payload IS NOT NULL;",
        )],
        scenario: scenario!(guards::unfit_rows),
    },
    Weakening {
        name: "a key may hold anything",
        swaps: &[(
            "\n      AND pg_catalog.octet_length(idempotency_key) BETWEEN 1 AND 200 AND idempotency_key !~ '[^!-~]';",
            ";",
        )],
        scenario: scenario!(guards::unfit_rows),
    },
    Weakening {
        name: "functions that everybody may call",
        swaps: &[("REVOKE ALL ON ALL ROUTINES IN SCHEMA onlyonce FROM PUBLIC;", "")],
        scenario: scenario!(guards::public_may_nothing),
    },
    Weakening {
        name: "names are looked up where the caller says",
        swaps: &[("SET search_path = pg_catalog, onlyonce, pg_temp", "")],
        scenario: scenario!(guards::public_may_nothing),
    },
    Weakening {
        name: "a worker's own table named actions takes its rows",
        swaps: &[
            ("SET search_path = pg_catalog, onlyonce, pg_temp", ""),
            ("INSERT INTO onlyonce.actions\n", "INSERT INTO actions\n"),
        ],
        scenario: scenario!(guards::temporary_table),
    },
    Weakening {
        name: "the worker may read the table",
        swaps: &[("RESET ROLE", "GRANT SELECT ON onlyonce.actions TO onlyonce_app; RESET ROLE")],
        scenario: scenario!(guards::no_table_rights),
    },
    Weakening {
        name: "the worker may decide what a person decides",
        swaps: &[("text, text) TO onlyonce_operator", "text, text) TO onlyonce_operator, onlyonce_app")],
        scenario: scenario!(guards::no_table_rights),
    },
    Weakening {
        name: "nobody has to say who they are",
        swaps: &[("IF COALESCE(pg_catalog.btrim($1), '') = '' OR", "IF false AND")],
        scenario: scenario!(people::nameless),
    },
];

const DISABLE_INSERT: &str = "ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_insert";
const DISABLE_FACTS: &str = "ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_facts";
const DISABLE_DELETE: &str = "ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_delete";
