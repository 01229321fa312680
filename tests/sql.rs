//! Faults as data: each file of `tests/sql/faults` breaks one thing of the ledger in `tests/sql/adopted.sql` and names in
//! its first line the rules that find it, no more and no fewer; each file of `tests/sql/harmless` looks like a fault and is
//! none. A line `-- alone` leaves the ledger out, so that the file is
//! the whole history; `-- ours` lays the file upon the ledger that we emit, `-- ours in partitions` upon that with some,
//! `-- ours on citus` upon the form that Citus distributes.

#[path = "support/adopted.rs"]
mod adopted;
#[path = "sql/scale.rs"]
mod scale;
#[path = "support/sql_case.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod sql_case;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onlyonce::diagnostic::{Finding, Label};
use onlyonce::lint::{self, Ledger, Subject};
use onlyonce::schema::replay;
use onlyonce::source::{Source, Span};
use onlyonce::sql::{Parsed, SourceStatements};
use onlyonce::{emit, manifest};
use sql_case::{Base, Case, cases};

const DAY: u64 = 86_400;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(name)
}

fn read(path: &Path) -> SourceStatements {
    SourceStatements::read(&Source::new(path.file_name().unwrap().to_string_lossy(), fs::read_to_string(path).unwrap()))
}

fn subject() -> Subject {
    let ledger = adopted::ledger();
    let source = lint::Source {
        name: "whatsapp".to_owned(),
        retention: Duration::from_secs(14 * DAY),
        least: Some(Duration::from_secs(8 * DAY)),
    };
    let manifest = Source::new("onlyonce.toml", "[schema.adopt]\n");
    let place = Label::new(&manifest, Span::new(0, 14), "the ledger is named here");
    Subject { ledger, demanded: true, place, sources: vec![source], expected: None, edited: Vec::new(), live: false }
}

fn found(case: &Case) -> (BTreeSet<String>, String) {
    let path = &case.path;
    let (history, subject) = match case.base() {
        Base::Adopted => (vec![read(&folder("adopted.sql")), read(path)], subject()),
        Base::Alone => {
            let ledger = Ledger { inbound: None, ..subject().ledger };
            (vec![read(path)], Subject { ledger, ..subject() })
        }
        Base::Ours(partitions) => on(emitted(&format!("partitions = {partitions}")), path),
        Base::Spread => on(emitted(CITUS), path),
    };
    let findings = lint::run(&history, &subject);
    (findings.iter().map(|one| one.rule.to_owned()).collect(), told(&findings))
}

fn on(ledger: SourceStatements, path: &Path) -> (Vec<SourceStatements>, Subject) {
    let subject = ours(&ledger);
    (vec![ledger, read(path)], subject)
}

fn told(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|one| {
        let (source, at) = (&one.place.source, one.place.source.position(one.place.span.start));
        let (message, label) = (&one.message, &one.place.text);
        format!("{} {:?} {}:{}: {message} ({label})", one.rule, one.verdict, source.name(), at.line)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_fault_is_found_by_the_rules_that_it_names() {
    let mut wrong = Vec::new();
    for case in cases("faults") {
        let expected = case.finds().expect("the first line names the rules");
        let (rules, told) = found(&case);
        if rules != expected {
            wrong.push(format!("{}: expected {expected:?}, found\n{told}", case.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_only_looks_like_a_fault_is_left_alone() {
    let mut wrong = Vec::new();
    for case in cases("harmless") {
        let (rules, told) = found(&case);
        if !rules.is_empty() {
            wrong.push(format!("{}:\n{told}", case.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_folder_without_a_ledger_is_quiet() {
    let other =
        SourceStatements::read(&Source::new("a.sql", "CREATE TABLE t (k text); ALTER TABLE t FROB; TRUNCATE t;"));
    let quiet = Subject { ledger: Ledger::ours("onlyonce"), demanded: false, ..subject() };
    assert_eq!(lint::run(&[other], &quiet), []);
}

/// Every rule has a fault that it finds.
#[test]
fn every_rule_has_a_fault() {
    let named: BTreeSet<String> = cases("faults").iter().filter_map(Case::finds).flatten().collect();
    let rules: BTreeSet<String> = lint::rules::ALL.iter().map(|lint| lint.rule.name.to_owned()).collect();
    assert_eq!(named, rules);
}

/// The manifest of a ledger that Citus distributes.
const CITUS: &str = "roles = \"existing\"\ndistribution = \"citus\"";

/// The emitted ledger, with these lines in `[schema]`.
fn emitted(schema: &str) -> SourceStatements {
    let text = format!(
        "version = 1\n[schema]\nlayout = \"plain\"\nmigrations = \"migrations\"\n{schema}\n\
         [action.send_reply]\nsummary = \"Reply\"\nsame_when = \"it answers the same message\"\nkey = [\"message_id: text\"]\n\
         [inbound.whatsapp]\nevent_id = [\"$.id\"]\nretention = \"14d\"\n"
    );
    let manifest = manifest::check::check(&Source::new("onlyonce.toml", text), PathBuf::from("/x"), &[]).unwrap();
    let now = jiff::Timestamp::UNIX_EPOCH;
    let migration = emit::plan(&manifest, &emit::Ground::default(), now).unwrap().migrations.remove(0);
    let script: String = migration.up.iter().map(|statement| format!("{statement};\n")).collect();
    SourceStatements::read(&Source::new("ledger.sql", script))
}

fn ours(emitted: &SourceStatements) -> Subject {
    let expected = Some(replay(std::slice::from_ref(emitted)).schema);
    Subject { ledger: Ledger::ours("onlyonce"), sources: Vec::new(), expected, ..subject() }
}

#[test]
fn our_own_ledger_has_no_finding() {
    for schema in ["", "roles = \"existing\"", "roles = \"none\"", "partitions = 3", CITUS] {
        let file = emitted(schema);
        let findings = lint::run(std::slice::from_ref(&file), &ours(&file));
        assert!(findings.is_empty(), "{schema}:\n{}", told(&findings));
        let unread = file.statements.iter().filter(|one| matches!(one.parsed, Parsed::Opaque { .. }));
        assert_eq!(unread.map(|one| one.text.as_str()).collect::<Vec<_>>(), Vec::<&str>::new(), "{schema}");
    }
}

/// A key that may be null, under this comment.
fn nullable(comment: &str) -> String {
    format!(
        "CREATE TABLE agent_actions (\n  tenant text COLLATE \"C\" NOT NULL,\n  -- onlyonce: {comment}\n  \
         idem_key text COLLATE \"C\",\n  state text NOT NULL CHECK (state IN ('pending', 'sent')),\n  \
         UNIQUE (tenant, idem_key)\n);\n"
    )
}

#[test]
fn an_exception_holds_with_a_reason_until_its_last_day() {
    let manifest = "version = 1\n[schema.adopt]\nactions = \"public.agent_actions\"\nkey = [\"tenant\", \"idem_key\"]\n\
                    status = \"state\"\n";
    let manifest = onlyonce::manifest::check::check(&Source::new("onlyonce.toml", manifest), "/x".into(), &[]).unwrap();
    let linted = |comment: &str| {
        let file = SourceStatements::read(&Source::new("1.sql", nullable(comment)));
        let linted = lint::check(&[file], &Subject::of(&manifest, false), Some(jiff::civil::date(2026, 11, 29)));
        let told = linted
            .findings
            .iter()
            .map(|finding| finding.rule)
            .filter(|rule| *rule == "key-nullable" || rule.ends_with("-allow"));
        let silenced = linted.silenced.iter().map(|one| format!("{} {}", one.finding.rule, one.reason));
        (told.collect::<Vec<_>>(), silenced.collect::<Vec<_>>())
    };
    let silent = (vec![], vec!["key-nullable x".to_owned()]);
    assert_eq!(linted("allow(key-nullable, reason = \"x\")"), silent);
    assert_eq!(linted("allow(key-collation, key-nullable, reason = \"x\", until = \"2026-11-29\")"), silent);
    let told = |rule| (vec![rule, "key-nullable"], Vec::<String>::new());
    for (comment, rule) in [
        ("allow(key-nullable, reason = \"x\", until = \"2026-11-28\")", "expired-allow"),
        ("allow(key-nullable, reason = \"x\", until = \"soon\")", "expired-allow"),
        ("allow(key-nullable)", "reasonless-allow"),
        ("allow(key-nullable, reason = \" \")", "reasonless-allow"),
        ("allow key-nullable", "reasonless-allow"),
        ("allow(key-nulable, reason = \"x\")", "unused-allow"),
        ("allow(key-collation, reason = \"x\")", "unused-allow"),
    ] {
        let mut seen = linted(comment);
        seen.0.sort_unstable();
        let mut wanted = told(rule);
        wanted.0.sort_unstable();
        assert_eq!(seen, wanted, "{comment}");
    }
}

/// What two NULLs are to what makes a key unique decides whether a key column may take NULL. `NULLS NOT DISTINCT` is
/// not known to every server.
#[test]
fn a_key_that_takes_null_is_judged_by_what_two_nulls_are() {
    let rules = |unique: &str| {
        let text = format!(
            "ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key, ALTER tenant DROP NOT NULL; {unique}"
        );
        let history = [read(&folder("adopted.sql")), SourceStatements::read(&Source::new("1.sql", text))];
        lint::run(&history, &subject()).iter().map(|one| one.rule).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    for (unique, expected) in [
        ("ALTER TABLE agent_actions ADD UNIQUE NULLS NOT DISTINCT (tenant, idem_key);", none.as_slice()),
        ("CREATE UNIQUE INDEX ON agent_actions (tenant, idem_key) NULLS NOT DISTINCT;", &none),
        ("CREATE UNIQUE INDEX ON agent_actions (nullif(tenant, ''), idem_key) NULLS NOT DISTINCT;", &none),
        ("ALTER TABLE agent_actions ADD UNIQUE (tenant, idem_key);", &["key-nullable"]),
        // The other key says nothing of this one.
        (
            "ALTER TABLE agent_actions ADD UNIQUE (tenant, idem_key), ADD UNIQUE NULLS NOT DISTINCT (tenant, state);",
            &["key-nullable"],
        ),
        (
            "CREATE UNIQUE INDEX ON agent_actions (tenant, idem_key) NULLS NOT DISTINCT WHERE tenant IS NOT NULL;",
            &["key-nullable"],
        ),
        ("CREATE UNIQUE INDEX ON agent_actions (coalesce(tenant, payload ->> 'tenant'), idem_key);", {
            &["key-nullable", "key-partly-unique"]
        }),
    ] {
        assert_eq!(rules(unique), expected, "{unique}");
    }
}

/// What is done to one trigger of the table of actions is told once, whichever rules have to do with it.
#[test]
fn a_trigger_that_is_switched_is_one_finding() {
    for schema in ["", "partitions = 3"] {
        let ledger = emitted(schema);
        let subject = ours(&ledger);
        let actions = subject.ledger.actions.table.clone();
        let replayed = replay(std::slice::from_ref(&ledger));
        for trigger in replayed.schema.tables[&actions].triggers.keys() {
            for change in [
                format!("ALTER TABLE {actions} DISABLE TRIGGER {trigger};"),
                format!("ALTER TABLE {actions} ENABLE TRIGGER {trigger};"),
                format!("ALTER TABLE {actions} ENABLE REPLICA TRIGGER {trigger};"),
                format!("DROP TRIGGER {trigger} ON {actions};"),
            ] {
                let later = SourceStatements::read(&Source::new("later.sql", change.clone()));
                let findings = lint::run(&[ledger.clone(), later], &subject);
                assert_eq!(findings.len(), 1, "{schema} {change}\n{}", told(&findings));
            }
        }
    }
}

/// Statements that no server of these tests takes as they stand: MERGE is not known to all, an extension is not there, the
/// ledger's own triggers refuse, and a view may not change its columns.
#[test]
fn what_no_server_is_asked_is_found_too() {
    let adopted = || vec![read(&folder("adopted.sql"))];
    let merge = "MERGE INTO agent_actions AS a USING other AS o ON a.id = o.id WHEN MATCHED THEN";
    for (text, expected) in [
        (format!("{merge} DELETE;"), "whatever their status"),
        (format!("{merge} UPDATE SET state = 'pending';"), "a migration changes state of"),
        (
            "ALTER TABLE agent_actions ALTER idem_key TYPE citext COLLATE \"C\"; DROP EXTENSION citext CASCADE;"
                .to_owned(),
            { "has no column idem_key" },
        ),
        (
            "SELECT dblink_exec('dbname=app', 'DROP TABLE agent_actions');".to_owned(),
            "names the ledger was not understood",
        ),
        ("\\i other.sql\n".to_owned(), "statements are run here that are in no migration"),
        ("CREATE TABLE gone AS WITH d AS (DELETE FROM agent_actions RETURNING *) SELECT * FROM d;".to_owned(), {
            "whatever their status"
        }),
        ("ALTER DATABASE app SET session_replication_role = replica;".to_owned(), "session_replication_role = replica"),
    ] {
        let history = adopted().into_iter().chain([SourceStatements::read(&Source::new("1.sql", text.as_str()))]);
        let found = told(&lint::run(&history.collect::<Vec<_>>(), &subject()));
        assert!(found.contains(expected), "{text}\n{found}");
    }
    let ledger = emitted("");
    for (text, expected) in [
        ("TRUNCATE onlyonce.transition_log;", "a migration empties onlyonce.transition_log"),
        ("CREATE OR REPLACE VIEW onlyonce.health AS SELECT 'a'::text AS name, 1 AS value;", {
            "the view onlyonce.health is not what was emitted"
        }),
    ] {
        let later = SourceStatements::read(&Source::new("1.sql", text));
        let found = told(&lint::run(&[ledger.clone(), later], &ours(&ledger)));
        assert!(found.contains(expected) && found.lines().count() == 1, "{text}\n{found}");
    }
}
