//! `emit --adopt` on a team's own tables of several shapes, against a real server: with good rows the guarantees hold
//! afterwards and nothing is found; with bad rows the first migration names them and changes nothing.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use onlyonce::cli::{self, Page};
use onlyonce::manifest::Layout;
use onlyonce::migration::folder::{Folder, entries};
use onlyonce::migration::{Kind, Migration, layout, write};
use onlyonce::source::Source;
use onlyonce::sql::SourceStatements;

#[path = "adopt/partitions.rs"]
mod partitions;
#[path = "layouts/rust_tools.rs"]
mod rust_tools;
mod support;

use support::{Database, describe, majors, server};

/// A team's tables, what fits them and what does not.
struct Shape {
    tables: &'static str,
    adopt: &'static str,
    good: &'static str,
    bad: &'static str,
    /// What the refusal says of the bad rows.
    named: &'static [&'static str],
    /// What must be refused afterwards, and by what.
    refused: &'static [(&'static str, &'static str)],
    /// What must still pass.
    allowed: &'static str,
}

/// No constraint at all, beside an inbound table with none.
const BARE: Shape = Shape {
    tables: "CREATE TABLE agent_actions (id bigint PRIMARY KEY, tenant text COLLATE \"C\", idem_key text COLLATE \"C\", \
             state text);\nCREATE TABLE webhook_events (event_id text COLLATE \"C\", body jsonb);\n",
    adopt: "actions = \"public.agent_actions\"\nkey = [\"tenant\", \"idem_key\"]\nstatus = \"state\"\n\
            inbound = \"public.webhook_events\"\nevent_id = \"event_id\"\n\
            transitions = [\"pending -> sent\", \"pending -> failed\", \"pending -> it's unknown\", \"it's unknown -> sent\"]\n",
    good: "INSERT INTO agent_actions VALUES (1, 'a', 'k1', 'pending'), (2, 'b', 'k1', 'sent'), (3, 'a', 'k2', 'it''s unknown'); \
           INSERT INTO webhook_events VALUES ('e1'), ('e2')",
    bad: "INSERT INTO agent_actions VALUES (1, 'a', 'k1', 'pending'), (2, 'a', 'k1', 'sent'), (3, NULL, 'k2', 'sent'), \
          (4, 'a', 'k3', 'lost'), (5, 'a', 'k4', NULL); INSERT INTO webhook_events VALUES ('e1'), ('e1'), (NULL)",
    named: &[
        "keys (tenant, idem_key) that several rows of public.agent_actions share: 1, such as (a, k1) in 2 rows",
        "rows of public.agent_actions without tenant: 1, such as id 3",
        "rows of public.agent_actions without state: 1, such as id 5",
        "unknown values of state in public.agent_actions: 1, such as 'lost' in 1 row",
        "keys (event_id) that several rows of public.webhook_events share: 1, such as (e1) in 2 rows",
        "rows of public.webhook_events without event_id: 1, such as ctid (0,3)",
    ],
    refused: &[
        ("INSERT INTO agent_actions VALUES (9, 'a', 'k1', 'pending')", "23505"),
        ("INSERT INTO agent_actions VALUES (9, NULL, 'k9', 'pending')", "23502"),
        ("INSERT INTO agent_actions VALUES (9, 'a', 'k9', 'lost')", "23514"),
        ("INSERT INTO agent_actions VALUES (9, 'a', 'k9', NULL)", "23502"),
        ("UPDATE agent_actions SET state = 'pending' WHERE id = 2", "23514"),
        ("UPDATE agent_actions SET state = 'failed' WHERE id = 3", "23514"),
        ("SET session_replication_role = replica; UPDATE agent_actions SET state = 'pending' WHERE id = 2", "23514"),
        ("DELETE FROM agent_actions WHERE id = 2", "23001"),
        ("SET session_replication_role = replica; TRUNCATE agent_actions", "23001"),
        ("INSERT INTO webhook_events VALUES ('e1')", "23505"),
        ("INSERT INTO webhook_events VALUES (NULL)", "23502"),
    ],
    allowed: "UPDATE agent_actions SET state = 'sent' WHERE id IN (1, 3); \
              INSERT INTO agent_actions VALUES (9, 'a', 'k9', 'pending') ON CONFLICT (tenant, idem_key) DO NOTHING; \
              UPDATE agent_actions SET state = 'failed' WHERE id = 9; DELETE FROM webhook_events WHERE event_id = 'e2'",
};

/// An enum, a key that is unique only while it is pending, and a guard on deletes that a replica's session passes by.
const PARTIAL: Shape = Shape {
    tables: "CREATE SCHEMA shop;\nCREATE TYPE shop.outcome AS ENUM ('open', 'done');\n\
             CREATE TABLE shop.sends (idem uuid NOT NULL, outcome shop.outcome DEFAULT 'open');\n\
             CREATE UNIQUE INDEX sends_idem_key ON shop.sends (idem) WHERE outcome = 'open';\n\
             CREATE FUNCTION shop.sends_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'kept' USING ERRCODE = '23001'; END $$;\n\
             CREATE TRIGGER sends_no_delete BEFORE DELETE ON shop.sends FOR EACH ROW EXECUTE FUNCTION shop.sends_keep();\n",
    adopt: "actions = \"shop.sends\"\nkey = \"idem\"\nstatus = \"outcome\"\ntransitions = [\"open -> done\"]\n",
    good: "INSERT INTO shop.sends VALUES ('00000000-0000-0000-0000-000000000001', 'open'), \
           ('00000000-0000-0000-0000-000000000002', 'done')",
    bad: "INSERT INTO shop.sends SELECT '00000000-0000-0000-0000-000000000001', 'done' FROM generate_series(1, 3); \
          INSERT INTO shop.sends VALUES ('00000000-0000-0000-0000-000000000002', NULL)",
    named: &[
        "1, such as (00000000-0000-0000-0000-000000000001) in 3 rows",
        "rows of shop.sends without outcome: 1, such as ctid (0,4)",
    ],
    refused: &[
        ("INSERT INTO shop.sends VALUES ('00000000-0000-0000-0000-000000000002', 'done')", "23505"),
        ("INSERT INTO shop.sends VALUES ('00000000-0000-0000-0000-000000000003', NULL)", "23502"),
        ("UPDATE shop.sends SET outcome = 'open'", "23514"),
        ("SET session_replication_role = replica; DELETE FROM shop.sends", "23001"),
        ("TRUNCATE shop.sends", "23001"),
    ],
    allowed: "UPDATE shop.sends SET outcome = 'done'",
};

/// Constraints that were never validated, and names that are taken.
const UNVALIDATED: Shape = Shape {
    tables: "CREATE TABLE replies (id int PRIMARY KEY, key text COLLATE \"C\", status text NOT NULL);\n\
             ALTER TABLE replies ADD CONSTRAINT replies_known CHECK (status IN ('new', 'sent')) NOT VALID;\n\
             ALTER TABLE replies ADD CONSTRAINT replies_key_present CHECK (length(key) < 100);\n\
             CREATE INDEX replies_key_key ON replies (key, id);\n\
             CREATE FUNCTION replies_guard() RETURNS int LANGUAGE sql AS 'SELECT 1';\n",
    adopt: "actions = \"replies\"\nkey = \"key\"\nstatus = \"status\"\ntransitions = [\"new -> sent\"]\n",
    good: "INSERT INTO replies VALUES (1, 'a', 'new'), (2, 'b', 'sent')",
    bad: "ALTER TABLE replies DROP CONSTRAINT replies_known; INSERT INTO replies VALUES (1, 'a', 'old'), (2, NULL, 'sent'); \
          ALTER TABLE replies ADD CONSTRAINT replies_known CHECK (status IN ('new', 'sent')) NOT VALID",
    named: &["unknown values of status in public.replies: 1, such as 'old' in 1 row", "without key: 1, such as id 2"],
    refused: &[
        ("INSERT INTO replies VALUES (9, 'a', 'new')", "23505"),
        ("INSERT INTO replies VALUES (9, NULL, 'new')", "23502"),
        ("UPDATE replies SET status = 'new' WHERE id = 2", "23514"),
        ("DELETE FROM replies", "23001"),
        ("TRUNCATE replies", "23001"),
    ],
    allowed: "UPDATE replies SET status = 'sent' WHERE id = 1",
};

/// Names that a statement takes only in quotes.
const QUOTED: Shape = Shape {
    tables: "CREATE TABLE \"User\" (\"Id\" bigint PRIMARY KEY, \"tenantId\" text COLLATE \"C\", \"order\" text COLLATE \"C\", \
             \"State\" text);\nALTER TABLE \"User\" ADD CONSTRAINT \"Known\" CHECK (\"State\" IN ('new', 'sent')) NOT VALID;\n\
             CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             RAISE EXCEPTION 'kept' USING ERRCODE = '23001'; END $$;\n\
             CREATE TRIGGER \"Keep\" BEFORE DELETE ON \"User\" FOR EACH ROW EXECUTE FUNCTION kept();\n",
    adopt: "actions = \"User\"\nkey = [\"tenantId\", \"order\"]\nstatus = \"State\"\ntransitions = [\"new -> sent\"]\n",
    good: "INSERT INTO \"User\" VALUES (1, 'a', 'k', 'new'), (2, 'b', 'k', 'sent')",
    bad: "INSERT INTO \"User\" VALUES (1, 'a', 'k', 'new'), (2, 'a', 'k', 'sent'), (3, NULL, 'k', 'new')",
    named: &["keys (tenantId, order) that several rows of public.User share: 1", "without tenantId: 1, such as Id 3"],
    refused: &[
        ("INSERT INTO \"User\" VALUES (9, 'a', 'k', 'new')", "23505"),
        ("INSERT INTO \"User\" VALUES (9, 'a', NULL, 'new')", "23502"),
        ("UPDATE \"User\" SET \"State\" = 'new' WHERE \"Id\" = 2", "23514"),
        ("SET session_replication_role = replica; DELETE FROM \"User\"", "23001"),
        ("TRUNCATE \"User\"", "23001"),
    ],
    allowed: "UPDATE \"User\" SET \"State\" = 'sent' WHERE \"Id\" = 1",
};

/// The helps of the findings of `verify` that are statements.
fn statements_of_helps(folder: &Path, database: &Database) -> Vec<String> {
    let words = ["verify", "--database-url", &database.url(support::SUPERUSER), "--format", "json"];
    let json: serde_json::Value = serde_json::from_str(&onlyonce(folder, &words).1).unwrap();
    let helps = json["findings"].as_array().unwrap().iter().filter_map(|one| one["help"].as_str());
    let whole = |help: &&str| help.starts_with("ALTER TABLE") && help.ends_with(';') && !help.contains("..");
    helps.filter(whole).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_takes_what_a_help_says() {
    for (shape, count) in [(&BARE, 3), (&PARTIAL, 2), (&UNVALIDATED, 3), (&QUOTED, 5)] {
        let (place, database) = (with_tables(shape), server(majors()[0]).database().await);
        database.run(shape.tables).await;
        let helps = statements_of_helps(place.path(), &database);
        assert!(helps.len() >= count, "{helps:#?}");
        for help in &helps {
            database.run(help).await;
        }
        let left = statements_of_helps(place.path(), &database);
        assert!(left.iter().all(|help| !helps.contains(help)), "{left:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn psql_takes_what_is_printed() {
    let (place, database) = (with_tables(&BARE), server(majors()[0]).database().await);
    database.run(BARE.tables).await;
    database.run(BARE.good).await;
    let (exit, script) = onlyonce(place.path(), &["emit", "--adopt", "--stdout"]);
    assert_eq!(exit, 0, "{script}");
    let client = database.connect().await;
    // One after the other, as psql does: what builds an index concurrently takes no transaction around it.
    for statement in SourceStatements::read(&Source::new("script.sql", script)).statements {
        let done = client.batch_execute(&statement.text).await;
        assert!(done.is_ok(), "{}: {}", statement.text, describe(&done.unwrap_err()));
    }
    assert_eq!(findings(place.path(), &database)[1], "");
}

/// Runs onlyonce in a folder: exit code and what it said. It waits for the server, so that it needs a thread of its own.
fn onlyonce(folder: &Path, words: &[&str]) -> (u8, String) {
    std::thread::scope(|scope| scope.spawn(|| run(folder, words)).join().unwrap())
}

fn run(folder: &Path, words: &[&str]) -> (u8, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let now = jiff::Timestamp::from_second(1_795_978_800).unwrap();
    let words = std::iter::once("onlyonce").chain(words.iter().copied()).map(OsString::from);
    let exit = cli::run(words, &mut Page::new(folder.to_owned(), now, &mut out, &mut err));
    (exit as u8, String::from_utf8(out).unwrap() + &String::from_utf8(err).unwrap())
}

/// A team's folder before anything is adopted.
fn team(shape: &Shape, layout: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let manifest =
        format!("version = 1\n[schema]\nmigrations = \"m\"\nlayout = \"{layout}\"\n[schema.adopt]\n{}", shape.adopt);
    fs::write(place.path().join("onlyonce.toml"), manifest).unwrap();
    fs::create_dir(place.path().join("m")).unwrap();
    place
}

/// A team's folder of sqlx with its tables in it.
fn with_tables(shape: &Shape) -> tempfile::TempDir {
    let place = team(shape, "sqlx");
    fs::write(place.path().join("m/20260101000000_tables.sql"), shape.tables).unwrap();
    place
}

/// Applies what follows the tables, each file as one query, which is one transaction; the first error ends it.
async fn adopt(folder: &Path, database: &Database) -> Result<(), String> {
    let client = database.connect().await;
    let files = Folder::read(Layout::Sqlx, Path::new("m"), &entries(&folder.join("m")).unwrap());
    for migration in files.migrations.iter().skip(1) {
        if let Err(error) = client.batch_execute(migration.source.text()).await {
            return Err(format!("{}: {}", migration.source.name(), describe(&error)));
        }
    }
    Ok(())
}

/// The findings of `check` and `verify`.
fn findings(folder: &Path, database: &Database) -> [String; 2] {
    let url = database.url(support::SUPERUSER);
    let verify = ["verify", "--database-url", &url, "--format", "json"];
    let check = ["check", "--only", "sql,manifest", "--format", "json"];
    let found = |words: &[&str]| {
        let (_, text) = onlyonce(folder, words);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        let rules = json["findings"].as_array().unwrap().iter().map(|one| one["message"].to_string());
        // The throw-away server does not wait for its disk.
        rules.filter(|one| !one.contains("fsync")).collect::<Vec<_>>().join("\n")
    };
    [found(&check), found(&verify)]
}

async fn holds(shape: &Shape) {
    for major in majors() {
        let (place, database) = (with_tables(shape), server(major).database().await);
        database.run(shape.tables).await;
        database.run(shape.good).await;
        assert!(findings(place.path(), &database).iter().all(|found| !found.is_empty()), "something is missing before");
        assert_eq!(onlyonce(place.path(), &["emit", "--adopt", "--check"]).0, 1);
        let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
        assert_eq!(exit, 0, "{said}");
        adopt(place.path(), &database).await.unwrap();
        for (statement, code) in shape.refused {
            let error = database.connect().await.batch_execute(statement).await.expect_err(statement);
            assert_eq!(error.code().map(|code| code.code()), Some(*code), "{statement}: {}", describe(&error));
        }
        database.run(shape.allowed).await;
        assert_eq!(onlyonce(place.path(), &["emit", "--adopt"]), (0, "your tables lack nothing\n".to_owned()));
        assert_eq!(onlyonce(place.path(), &["emit", "--adopt", "--check"]).0, 0);
        assert_eq!(findings(place.path(), &database), [String::new(), String::new()], "on {major}");
    }
}

async fn refuses(shape: &Shape) {
    for major in majors() {
        let (place, database) = (with_tables(shape), server(major).database().await);
        database.run(shape.tables).await;
        database.run(shape.bad).await;
        let before = findings(place.path(), &database);
        for name in shape.named {
            assert!(before[1].contains(name), "verify does not say {name}: {}", before[1]);
        }
        assert_eq!(onlyonce(place.path(), &["emit", "--adopt"]).0, 0);
        let error = adopt(place.path(), &database).await.unwrap_err();
        assert!(error.contains("_adopt."), "the first file refuses: {error}");
        for name in shape.named {
            assert!(error.contains(name), "{name} is not in {error}");
        }
        assert_eq!(findings(place.path(), &database)[1], before[1], "nothing is half applied");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bare_tables_are_brought_up() {
    holds(&BARE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partly_unique_key_is_made_whole() {
    holds(&PARTIAL).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_never_validated_is_validated() {
    holds(&UNVALIDATED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_in_quotes_stay_what_they_are() {
    holds(&QUOTED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_break_a_guarantee_are_named() {
    for shape in [&BARE, &PARTIAL, &UNVALIDATED, &QUOTED] {
        refuses(shape).await;
    }
}

/// The folder of a tool with the team's tables in it, then with what is adopted.
fn adopted_by(shape: &Shape, layout: Layout) -> tempfile::TempDir {
    let place = team(shape, layout.name());
    let (up, down) = (vec![shape.tables.trim().trim_end_matches(';').to_owned()], vec!["SELECT 1".to_owned()]);
    let version = if layout == Layout::Diesel { "2026-01-01-000000" } else { "1" };
    let first = Migration { version: version.to_owned(), name: "tables".to_owned(), up, down, kind: Kind::Adopted };
    onlyonce::files::write_all(&write::write(layout, &place.path().join("m"), &first, true)).unwrap();
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!(exit, 0, "{}: {said}", layout.name());
    assert_eq!(said.contains("psql -c"), layout == Layout::Refinery, "{}: {said}", layout.name());
    assert_eq!(said.contains("transactional.lock=false"), layout == Layout::Flyway, "{}: {said}", layout.name());
    place
}

#[test]
fn every_layout_reads_back_what_is_adopted() {
    for layout in layout::ALL {
        for shape in [&BARE, &PARTED] {
            let place = adopted_by(shape, layout);
            let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
            assert_eq!((exit, said.as_str()), (0, "your tables lack nothing\n"), "{}", layout.name());
            let (_, said) = onlyonce(place.path(), &["check", "--only", "sql,manifest"]);
            assert!(said.contains("no findings"), "{}: {said}", layout.name());
            let alone = entries(&place.path().join("m"))
                .unwrap()
                .into_iter()
                .filter(|one| one.text.contains("UNIQUE INDEX CONCURRENTLY"));
            for entry in alone.filter(|_| layout != Layout::Refinery) {
                assert!(!entry.text.contains("lock_timeout") && !entry.text.contains("BEGIN;"), "{}", entry.text);
                let marked = match layout {
                    Layout::Sqlx => entry.text.starts_with("-- no-transaction\n"),
                    Layout::Dbmate => entry.text.contains("\n-- migrate:up transaction:false\n"),
                    Layout::Goose => entry.text.contains("-- +goose NO TRANSACTION\n"),
                    Layout::Diesel => {
                        let beside = place.path().join("m").join(&entry.path).with_file_name("metadata.toml");
                        fs::read_to_string(beside).unwrap() == "run_in_transaction = false\n"
                    }
                    Layout::Flyway | Layout::GolangMigrate | Layout::Plain | Layout::Refinery => true,
                };
                assert!(marked, "{}: {}", layout.name(), entry.text);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_themselves_apply_it_and_take_it_back() {
    for layout in [Layout::Sqlx, Layout::Diesel, Layout::Refinery] {
        let (place, database) = (adopted_by(&BARE, layout), server(majors()[0]).database().await);
        let (folder, url) = (&place.path().join("m"), database.url(support::SUPERUSER));
        match layout {
            Layout::Sqlx => rust_tools::sqlx_up(folder, &url).await,
            Layout::Diesel => rust_tools::diesel_up(folder, &url).await,
            _ => rust_tools::refinery_up(folder, &mut database.connect().await).await,
        }
        assert_eq!(findings(place.path(), &database)[1], "", "{}", layout.name());
        match layout {
            Layout::Sqlx => rust_tools::sqlx_down(folder, &url).await,
            Layout::Diesel => rust_tools::diesel_down(folder, &url).await,
            _ => continue,
        }
        let left = "SELECT (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal) + (SELECT count(*) FROM pg_constraint \
                    WHERE conname LIKE 'agent%' AND contype <> 'p') + (SELECT count(*) FROM pg_attribute WHERE attnotnull \
                    AND attrelid = 'webhook_events'::regclass AND attnum > 0)";
        let left: i64 = database.connect().await.query_one(left, &[]).await.unwrap().get(0);
        assert_eq!(left, 0, "{} takes all of it back", layout.name());
    }
}

/// Partitions, one of them partitioned again, by columns of the key.
const PARTED: Shape = Shape {
    tables: "CREATE TABLE acts (tenant text COLLATE \"C\", idem text COLLATE \"C\", state text, made date DEFAULT now()) \
             PARTITION BY HASH (tenant);\n\
             CREATE TABLE acts_0 PARTITION OF acts FOR VALUES WITH (MODULUS 2, REMAINDER 0);\n\
             CREATE TABLE acts_1 PARTITION OF acts FOR VALUES WITH (MODULUS 2, REMAINDER 1) PARTITION BY LIST (idem);\n\
             CREATE TABLE \"acts_1 Rest\" PARTITION OF acts_1 DEFAULT;\n",
    adopt: "actions = \"acts\"\nkey = [\"tenant\", \"idem\"]\nstatus = \"state\"\ntransitions = [\"new -> sent\"]\n",
    good: "INSERT INTO acts SELECT 't' || n, 'k', 'new' FROM generate_series(1, 9) AS n; \
           INSERT INTO acts SELECT 't' || n, 'l', 'sent' FROM generate_series(1, 9) AS n",
    bad: "INSERT INTO acts SELECT 't' || n, 'k', 'new' FROM generate_series(1, 9) AS n, generate_series(1, 2); \
          INSERT INTO acts VALUES ('t1', NULL, 'lost')",
    named: &[
        "keys (tenant, idem) that several rows of public.acts share: 9, such as (t1, k) in 2 rows; (t2, k) in 2 rows",
        "rows of public.acts without idem: 1, such as ",
        " ctid (0,",
        "unknown values of state in public.acts: 1, such as 'lost' in 1 row",
    ],
    refused: &[
        ("INSERT INTO acts VALUES ('t1', 'k', 'new')", "23505"),
        ("INSERT INTO acts VALUES ('t2', 'k', 'new')", "23505"),
        ("INSERT INTO acts VALUES ('t3', 'k', 'new')", "23505"),
        ("INSERT INTO acts VALUES ('t4', NULL, 'new')", "23502"),
        ("INSERT INTO acts VALUES ('t4', 'm', 'lost')", "23514"),
        ("UPDATE acts SET state = 'new'", "23514"),
        ("SET session_replication_role = replica; UPDATE acts_0 SET state = 'new'", "23514"),
        ("SET session_replication_role = replica; UPDATE \"acts_1 Rest\" SET state = 'new'", "23514"),
        ("SET session_replication_role = replica; DELETE FROM acts_0", "23001"),
        ("SET session_replication_role = replica; DELETE FROM \"acts_1 Rest\"", "23001"),
        ("SET session_replication_role = replica; TRUNCATE acts_0", "23001"),
        ("SET session_replication_role = replica; TRUNCATE \"acts_1 Rest\"", "23001"),
        ("TRUNCATE acts", "23001"),
    ],
    allowed: "INSERT INTO acts VALUES ('t1', 'k', 'new') ON CONFLICT (tenant, idem) DO NOTHING; \
              UPDATE acts SET state = 'sent' WHERE idem = 'k'",
};

#[tokio::test(flavor = "multi_thread")]
async fn a_partitioned_table_is_brought_up_with_its_partitions() {
    holds(&PARTED).await;
    refuses(&PARTED).await;
    for major in majors() {
        let (place, database) = (with_tables(&PARTED), server(major).database().await);
        database.run(PARTED.tables).await;
        assert_eq!(onlyonce(place.path(), &["emit", "--adopt"]).0, 0);
        adopt(place.path(), &database).await.unwrap();
        // One of the whole, one of the part that has parts, one of each of the two that hold rows: none was built twice.
        let indexes = "SELECT count(*) FROM pg_index WHERE indrelid::regclass::text LIKE '%acts%' AND indisvalid";
        let count: i64 = database.connect().await.query_one(indexes, &[]).await.unwrap().get(0);
        assert_eq!(count, 4, "on {major}");
    }
}

/// A team's partitions whose names are no names of files, or are alike up to where PostgreSQL cuts them.
fn named_so(parts: &[&str]) -> String {
    let parts = parts.iter().enumerate().map(|(n, part)| {
        format!("CREATE TABLE \"{part}\" PARTITION OF outbound_customer_messages FOR VALUES WITH (MODULUS 9, REMAINDER {n});\n")
    });
    "CREATE TABLE outbound_customer_messages (tenant_id text COLLATE \"C\", inbound_message_id text COLLATE \"C\", \
     conversation_step text COLLATE \"C\", state text) PARTITION BY HASH (tenant_id);\n"
        .to_owned()
        + &parts.collect::<String>()
}

const MESSAGES: &str = "actions = \"outbound_customer_messages\"\n\
                        key = [\"tenant_id\", \"inbound_message_id\", \"conversation_step\"]\nstatus = \"state\"\n\
                        transitions = [\"new -> sent\"]\n";

#[test]
fn names_of_files_are_plain_whatever_a_partition_is_called() {
    let long = "e/".repeat(31);
    let parts = ["p/../../../x", "..", "C:\\x", "u?", "p_.._.._.._x", &long];
    for layout in layout::ALL {
        let tables = named_so(&parts).leak();
        let place = adopted_by(&Shape { tables, adopt: MESSAGES, ..BARE }, layout);
        let (mut names, mut files) = (std::collections::BTreeSet::new(), 0);
        for entry in walkdir::WalkDir::new(place.path()).into_iter().map(Result::unwrap) {
            let path = entry.path().strip_prefix(place.path()).unwrap().to_str().unwrap().to_owned();
            if !path.contains("_key") || (layout == Layout::Diesel) != entry.file_type().is_dir() {
                continue;
            }
            let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.' | '/');
            let depth = path.matches('/').count();
            assert!(depth == 1 && path.len() < 120 && path.chars().all(plain) && !path.contains(".."), "{path}");
            files += usize::from(!path.contains(".down.") && !path.starts_with("m/U"));
            names.insert(path.split_once("adopt_").unwrap().1.to_owned());
        }
        let built = if layout == Layout::Refinery { 0 } else { parts.len() };
        assert_eq!(files, built, "{}", layout.name());
        assert!(names.len() >= built, "{}: {names:?}", layout.name());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "nothing lies beside the folder");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_of_partitions_with_long_names_are_told_apart() {
    let tables = named_so(&["outbound_customer_messages_2026_01", "outbound_customer_messages_2026_02"]).leak();
    let place = with_tables(&Shape { tables, adopt: MESSAGES, ..BARE });
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!(exit, 0, "{said}");
    let database = server(majors()[0]).database().await;
    database.run(tables).await;
    adopt(place.path(), &database).await.unwrap();
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!((exit, said.as_str()), (0, "your tables lack nothing\n"));
}

#[test]
fn other_statuses_than_those_that_were_adopted_are_refused() {
    let place = with_tables(&BARE);
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!(exit, 0, "{said}");
    assert_ne!(onlyonce(place.path(), &["check", "--only", "sql"]).0, 2);
    let path = place.path().join("onlyonce.toml");
    let before = fs::read_to_string(&path).unwrap();
    assert!(before.contains("\"pending -> failed\""));
    fs::write(&path, before.replace("\"pending -> failed\"", "\"queued -> sent\"")).unwrap();
    for words in [&["emit", "--adopt"][..], &["check", "--only", "sql"]] {
        let (exit, said) = onlyonce(place.path(), words);
        let differ = "do not speak of the same statuses: failed, queued";
        assert_eq!((exit, said.contains(differ)), (2, true), "{words:?}: {said}");
    }
}

/// What is said where the manifest leaves something open.
fn told(adopt: &str, tables: &'static str) -> String {
    let place = with_tables(&Shape { adopt: "", tables, ..BARE });
    let manifest = format!("version = 1\n[schema]\nmigrations = \"m\"\n{adopt}");
    fs::write(place.path().join("onlyonce.toml"), manifest).unwrap();
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!((exit, fs::read_dir(place.path().join("m")).unwrap().count()), (2, 1), "{said}");
    said
}

#[test]
fn what_is_not_known_is_asked_for() {
    const MAPPED: &str = "[schema.adopt]\nactions = \"a\"\nkey = \"k\"\nstatus = \"s\"\n";
    const TABLE: &str = "CREATE TABLE a (k text, s text CHECK (s IN ('new', 'sent')));";
    assert!(told("", TABLE).contains("no tables are mapped"));
    assert!(told(MAPPED, "CREATE TABLE b ();").contains("the table public.a is not in these migrations"));
    let said = told(MAPPED, TABLE);
    assert!(said.contains("which s of a may follow which is said nowhere") && said.contains("new, sent"), "{said}");
    let other = format!("{MAPPED}transitions = [\"new -> done\"]\n");
    assert!(told(&other, TABLE).contains("do not speak of the same statuses: done, sent"));
    let arrow = format!("{MAPPED}transitions = [\"new > sent\"]\n");
    assert!(told(&arrow, TABLE).contains("`new > sent` is no transition"));
    let wrong = format!("{MAPPED}transitions = [\"new -> \"]\n");
    assert!(told(&wrong, TABLE).contains("`new -> ` is no transition"));
    let by_time = "CREATE TABLE a (k text, s text, at date, PRIMARY KEY (k, at)) PARTITION BY RANGE (at);";
    let said = told(MAPPED, by_time);
    assert!(
        said.contains("the key (k) of public.a can be unique within a partition only, since at parts its"),
        "{said}"
    );
    let by_status = "CREATE TABLE a (k text, s text, PRIMARY KEY (k, s)) PARTITION BY LIST (s);";
    let said = told(&MAPPED.replace("\"k\"", "[\"k\", \"s\"]"), by_status);
    assert!(said.contains("s parts the rows of public.a, so that a new status deletes a row"), "{said}");
    let part = "CREATE TABLE b (k text, s text) PARTITION BY HASH (k);\n\
                CREATE TABLE a PARTITION OF b FOR VALUES WITH (MODULUS 1, REMAINDER 0);";
    assert!(told(MAPPED, part).contains("public.a is a partition of public.b"));
    let child = "CREATE TABLE b (k text, s text);\nCREATE TABLE a () INHERITS (b);";
    assert!(told(MAPPED, child).contains("public.a inherits from another table"));
    // What a server would refuse, or a migration cannot hold, is named before anything is written.
    let json = "CREATE TABLE a (k json, s text);";
    let said = told(&format!("{MAPPED}transitions = [\"new -> sent\"]\n"), json);
    assert!(said.contains("the key column k of public.a is json, which cannot be unique"), "{said}");
    let far = "CREATE TABLE a (k text, s text) PARTITION BY HASH (k);\n\
               CREATE FOREIGN TABLE far PARTITION OF a FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER there;";
    let said = told(&format!("{MAPPED}transitions = [\"new -> sent\"]\n"), far);
    assert!(said.contains("public.far is a foreign table"), "{said}");
    let broken = "CREATE TABLE a (k text, s text, \"two\nlines\" int);";
    let said = told(&format!("{MAPPED}transitions = [\"new -> sent\"]\n"), broken);
    assert!(said.contains("cannot stand in a migration for every tool"), "{said}");
}
