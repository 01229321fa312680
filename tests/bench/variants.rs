//! What is compared: the two statements on a bare table, the same two in two functions, and the ledger as it is emitted.

use std::collections::BTreeMap;
use std::time::Duration;

use onlyonce::emit::changes;
use onlyonce::manifest::diff::{Emitted, EmittedAction};
use onlyonce::manifest::{Distribution, Kind, Layout, Roles, WhenUnknown};

use super::pgbench::WORKER;

/// One of those that are compared.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Variant {
    /// A table with only the primary key; INSERT and UPDATE as they are.
    Bare,
    /// The same table; the statements in two PL/pgSQL SECURITY DEFINER functions, without CHECK and trigger.
    Floor,
    /// The ledger.
    Ours,
    /// The ledger in eight partitions.
    Parted,
}

/// The payload of every action, about a hundred octets.
const PAYLOAD: &str =
    r#"'{"to": "+49151234567", "text": "Your order 1234 has been shipped and will arrive on Monday."}'"#;
/// Who holds every attempt. One for all: what is measured is not how a client makes it up.
const TOKEN: &str = "'00000000-0000-0000-0000-000000000001'";
/// A duplicate comes from a worker with another.
const OTHER_TOKEN: &str = "'00000000-0000-0000-0000-000000000002'";

/// A line of pgbench that takes a key nobody has. The key is the variable itself: CALL plans the expressions of its
/// arguments anew each time, which would count against the ledger what no client does.
pub(crate) const FRESH_KEY: &str = "\\set a random(1, 9000000000000000000)\n";

/// The actions of the emitted ledgers, and how long a final one is kept.
pub(crate) const KEEP: Duration = Duration::from_secs(24 * 3600);
/// How long its key is kept.
pub(crate) const KEEP_KEY: Duration = Duration::from_secs(100 * 24 * 3600);

impl Variant {
    /// Its name in tables, which is its schema too.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Variant::Bare => "bare",
            Variant::Floor => "floor",
            Variant::Ours => "onlyonce",
            Variant::Parted => "parted",
        }
    }

    /// Whether it is a ledger, with its guards.
    pub(crate) fn is_ledger(self) -> bool {
        matches!(self, Variant::Ours | Variant::Parted)
    }

    /// What makes it, with the worker's rights in it.
    pub(crate) fn definition(self) -> String {
        let schema = self.name();
        if self.is_ledger() {
            let statements = changes::ledger(&emitted(schema, if self == Variant::Parted { 8 } else { 0 })).unwrap();
            return format!("BEGIN;\n{};\nCOMMIT;\nGRANT {schema}_app TO {WORKER};", statements.up.join(";\n"));
        }
        let table = format!(
            "CREATE SCHEMA {schema};
CREATE TABLE {schema}.actions (action_type text COLLATE \"C\" NOT NULL, idempotency_key text COLLATE \"C\" NOT NULL,
  status text NOT NULL, attempt integer NOT NULL, token uuid NOT NULL, created_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL, settled_at timestamptz, message_id text, payload jsonb, result jsonb,
  PRIMARY KEY (action_type, idempotency_key));
GRANT USAGE ON SCHEMA {schema} TO {WORKER};
"
        );
        if self == Variant::Bare {
            return format!("{table}GRANT SELECT, INSERT, UPDATE ON bare.actions TO {WORKER};");
        }
        format!(
            "{table}
CREATE FUNCTION floor.reserve(action_type text, idempotency_key text, token uuid, payload jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO floor.actions VALUES ($1, $2, 'pending', 1, $3, clock_timestamp(),
    clock_timestamp() + interval '5 min', NULL, NULL, $4, NULL) ON CONFLICT DO NOTHING;
  IF FOUND THEN RETURN 'go'; END IF;
  RETURN 'duplicate';
END $$;
CREATE FUNCTION floor.record(action_type text, idempotency_key text, token uuid, outcome text, message_id text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE floor.actions AS a SET status = $4, settled_at = clock_timestamp(), message_id = $5
    WHERE a.action_type = $1 AND a.idempotency_key = $2 AND a.token = $3 AND a.status = 'pending';
  IF FOUND THEN RETURN 'recorded'; END IF;
  RETURN 'fenced';
END $$;"
        )
    }

    /// The statement that reserves this key, an expression.
    pub(crate) fn reserve(self, key: &str) -> String {
        match self {
            Variant::Bare => format!(
                "INSERT INTO bare.actions VALUES ('send', {key}, 'pending', 1, {TOKEN}, clock_timestamp(), \
                 clock_timestamp() + interval '5 min', NULL, NULL, {PAYLOAD}, NULL) ON CONFLICT DO NOTHING;"
            ),
            Variant::Floor => format!("SELECT floor.reserve('send', {key}, {TOKEN}, {PAYLOAD});"),
            Variant::Ours | Variant::Parted => self.call_reserve(key, TOKEN),
        }
    }

    fn call_reserve(self, key: &str, token: &str) -> String {
        let nothing = ", NULL".repeat(8);
        format!("CALL {}.reserve('send', {key}, {token}, {PAYLOAD}{nothing});", self.name())
    }

    /// The statement that records this key as sent.
    pub(crate) fn record(self, key: &str) -> String {
        if self == Variant::Bare {
            return format!(
                "UPDATE bare.actions SET status = 'sent', settled_at = clock_timestamp(), message_id = {key} WHERE \
                 action_type = 'send' AND idempotency_key = {key} AND token = {TOKEN} AND status = 'pending';"
            );
        }
        format!("SELECT {}.record('send', {key}, {TOKEN}, 'sent', {key});", self.name())
    }

    /// A script of one action, reserved and recorded in two commits.
    pub(crate) fn pair(self) -> String {
        format!("{FRESH_KEY}{}\n{}\n", self.reserve(":a"), self.record(":a"))
    }

    /// The same, and every ninth time the same key once more: a tenth of what is asked for was there.
    pub(crate) fn pair_and_a_tenth_again(self) -> String {
        let again = if self.is_ledger() { self.call_reserve(":a", OTHER_TOKEN) } else { self.reserve(":a") };
        format!("{}\\set d random(1, 9)\n\\if :d = 1\n{again}\n\\endif\n", self.pair())
    }

    /// A script that asks for one of this many keys, `1` and so on, which are all settled: the ledger by `reserve`, the
    /// bare table by a SELECT of what `reserve` answers.
    pub(crate) fn duplicate(self, rows: u64) -> String {
        let ask = if self.is_ledger() {
            self.call_reserve(":a", OTHER_TOKEN)
        } else {
            let schema = self.name();
            format!(
                "SELECT status, attempt, payload, message_id, result FROM {schema}.actions \
                 WHERE action_type = 'send' AND idempotency_key = :a;"
            )
        };
        format!("\\set a random(1, {rows})\n{ask}\n")
    }

    /// Fills it with this many rows that were sent `age` ago, an interval; `key` is an expression over `i`.
    pub(crate) fn fill_sent(self, rows: u64, key: &str, age: &str) -> String {
        let step = if self.is_ledger() { (", step", ", 'record'") } else { ("", "") };
        format!(
            "INSERT INTO {schema}.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
    settled_at, message_id, payload{})
  SELECT 'send', {key}, 'sent', 1, {TOKEN}::uuid, now() - {age}, now() - {age} + interval '5 min',
    now() - {age} + interval '1 s', {key}, {PAYLOAD}::jsonb{} FROM generate_series(1, {rows}) AS i",
            step.0,
            step.1,
            schema = self.name(),
        )
    }

    /// Fills a ledger with this many rows whose worker went silent.
    pub(crate) fn fill_overdue(self, rows: u64) -> String {
        format!(
            "INSERT INTO {schema}.actions (action_type, idempotency_key, status, attempt, token, created_at, deadline_at,
    step, payload)
  SELECT 'send', {key}, 'pending', 1, {TOKEN}::uuid, now() - interval '1 day' + i * interval '1 ms',
    now() - interval '23 hours' + i * interval '1 ms', 'reserve', {PAYLOAD}::jsonb FROM generate_series(1, {rows}) AS i",
            schema = self.name(),
            key = SPREAD_KEY,
        )
    }
}

/// Keys over `i` that are all different, and lie as those of `FRESH_KEY` do: anywhere in the index.
pub(crate) const SPREAD_KEY: &str = "((i::numeric * 5851897384951043801) % 9000000000000000000)::text";

/// A ledger with one type of action.
fn emitted(schema: &str, partitions: u32) -> Emitted {
    let send = EmittedAction {
        kind: Kind::Send,
        key: Vec::new(),
        provider: None,
        key_window: None,
        look_up: None,
        send_budget: Duration::from_secs(60),
        pending_timeout: Duration::from_secs(300),
        max_attempts: 5,
        when_unknown: WhenUnknown::Reconcile,
        keep: Some(KEEP),
        keep_key: Some(KEEP_KEY),
        retired: false,
    };
    Emitted {
        schema: schema.to_owned(),
        layout: Layout::Plain,
        roles: Roles::Create,
        partitions,
        distribution: Distribution::None,
        actions: BTreeMap::from([("send".to_owned(), send)]),
        inbound: BTreeMap::new(),
    }
}
