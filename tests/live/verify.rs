//! A live database against what was emitted or adopted.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::program::{Ran, run};
use crate::sql_case::{Base, Case, cases};
use crate::support::pooler::Pooler;
use crate::support::{Database, Server, majors};

/// A folder with a manifest and the migrations that it emits.
struct Team {
    folder: tempfile::TempDir,
}

impl Team {
    fn with(schema: &str) -> Team {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "version = 1\n[schema]\nlayout = \"plain\"\n{schema}\n[action.send_reply]\nsummary = \"Reply\"\n\
             same_when = \"it answers the same message\"\nkey = [\"message_id: text\"]\n\
             [inbound.whatsapp]\nevent_id = [\"$.id\"]\nretention = \"14d\"\n"
        );
        fs::write(folder.path().join("onlyonce.toml"), text).unwrap();
        let team = Team { folder };
        assert_eq!(team.run("", &["emit"]).code, 0);
        team
    }

    fn run(&self, url: &str, args: &[&str]) -> Ran {
        run(self.folder.path(), url, args)
    }

    fn migrations(&self) -> String {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(self.folder.path().join("migrations")).unwrap().map(|one| one.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    async fn database(&self, server: &Server) -> Database {
        let database = server.database().await;
        database.run(&self.migrations()).await;
        database
    }
}

/// Rule and message of each finding.
fn told(ran: &Ran) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let findings = document["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|one| format!("{}: {}", one["rule"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_database_that_has_what_was_emitted_is_clean() {
    for major in majors() {
        let server = Server::start(major, &["fsync=on"]);
        for schema in ["", "partitions = 3", "roles = \"none\""] {
            let team = Team::with(schema);
            let database = team.database(&server).await;
            let url = database.url("postgres");
            let told = told(&team.run(&url, &["verify", "--format", "json"]));
            assert!(told.is_empty(), "{major} {schema}: {told:#?}");
            let ran = team.run(&url, &["verify"]);
            assert_eq!(
                (ran.code, ran.out.as_str(), ran.err.as_str()),
                (0, "no findings\n", "the database has what was asked for\n")
            );
        }
    }
}

#[tokio::test]
async fn where_no_migration_has_run_one_finding_says_what_to_do() {
    let team = Team::with("partitions = 3");
    let server = Server::start(majors()[0], &["fsync=on"]);
    let ran = team.run(&server.database().await.url("postgres"), &["verify", "--format", "json"]);
    assert_eq!(told(&ran), ["ledger-missing: nothing of the ledger onlyonce is in this database"]);
    assert_eq!(
        said(&ran, "nothing", "help"),
        ["run the migrations that `onlyonce emit` wrote, with your migration tool"]
    );
    assert_eq!(ran.code, 1);
}

/// A comment changes nothing and is told all the same: what an edit does to rows that a migration writes, no schema shows.
#[test]
fn an_emitted_migration_that_was_edited_is_told() {
    let team = Team::with("");
    let check = || told(&team.run("", &["check", "--only", "sql", "--format", "json"]));
    assert_eq!(check(), Vec::<String>::new());
    let path = fs::read_dir(team.folder.path().join("migrations")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(check(), Vec::<String>::new());
    fs::write(&path, text.replace("'30 seconds'", "'31 seconds'") + "-- mine\n").unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(check(), [format!("ledger-weakened: the emitted migration migrations/{name} was edited")]);
    let allowed = "-- onlyonce: allow(ledger-weakened, reason = \"not applied anywhere yet\")\n";
    fs::write(&path, format!("{allowed}{text}-- mine\n")).unwrap();
    assert_eq!(check(), Vec::<String>::new());
}

#[tokio::test]
async fn whoever_may_connect_may_verify_and_is_told_in_every_form() {
    let team = Team::with("");
    let server = Server::start(majors()[0], &["fsync=on"]);
    let database = team.database(&server).await;
    database
        .run("CREATE ROLE nobody_much LOGIN; ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_update")
        .await;
    let url = database.url("nobody_much");
    let file = team.folder.path().join("kept.sql");
    let ran = team.run(&url, &["verify", "--definitions", "kept.sql"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let lines: Vec<String> = fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let at = lines.iter().position(|line| line.contains("DISABLE TRIGGER actions_guard_update")).unwrap() + 1;
    assert!(ran.out.contains(&format!("kept.sql:{at}:")), "{}", ran.out);

    let sarif = team.run(&url, &["verify", "--format", "sarif"]);
    let document: serde_json::Value = serde_json::from_str(&sarif.out).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|one| one["ruleId"].as_str().unwrap()).collect();
    assert!(sarif.code == 1 && rules.contains(&"transition-unguarded"), "{rules:?}");
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "server/definitions.sql");
}

/// One server connection for everybody: what one run left behind in it, the next would meet.
#[tokio::test]
async fn a_pooler_in_transaction_mode_may_lie_between() {
    for major in majors() {
        let (team, server) = (Team::with(""), Server::start(major, &["fsync=on"]));
        let database = team.database(&server).await;
        database
            .run("CREATE ROLE nobody_much LOGIN; ALTER TABLE onlyonce.actions DISABLE TRIGGER actions_guard_update")
            .await;
        let pooler = Pooler::start(&database, &["nobody_much"], 1);
        let before = session(&pooler).await;
        let direct = team.run(&database.url("nobody_much"), &["verify", "--format", "json"]);
        assert!(direct.code == 1 && direct.out.contains("transition-unguarded"), "{direct:?}");
        let url = pooler.url("nobody_much");
        let runs: Vec<Ran> = std::thread::scope(|scope| {
            let run = || team.run(&url, &["verify", "--format", "json"]);
            let all: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for ran in runs {
            assert_eq!((ran.code, &ran.out, &ran.err), (direct.code, &direct.out, &direct.err), "on {major}");
        }
        assert_eq!(session(&pooler).await, before, "on {major}");
    }
}

/// What the pooler's connection to the server is set to, and which it is.
async fn session(pooler: &Pooler) -> Vec<String> {
    let client = pooler.connect_as("nobody_much").await;
    let asked = "SELECT pg_backend_pid()::text, current_setting('search_path'), current_setting('TimeZone'), \
                 current_setting('statement_timeout'), current_setting('transaction_read_only')";
    let answer = client.simple_query(asked).await.unwrap();
    let row = answer.iter().find_map(|one| match one {
        tokio_postgres::SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.unwrap();
    (0..row.len()).map(|column| row.get(column).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_switched_off_is_switched_on_by_the_help() {
    let team = Team::with("");
    let server = Server::start(majors()[0], &["fsync=on"]);
    let database = team.database(&server).await;
    let verify = || team.run(&database.url("postgres"), &["verify", "--format", "json"]);
    for off in ["DISABLE TRIGGER USER", "ENABLE REPLICA TRIGGER actions_guard_update"] {
        database.run(&format!("ALTER TABLE onlyonce.actions {off}")).await;
        let ran = verify();
        assert!(told(&ran).iter().any(|one| one.starts_with("transition-unguarded: ")), "{ran:?}");
        // What is found beside a guard that is off is told once that is on.
        for _ in 0..2 {
            for help in said(&verify(), "", "help") {
                assert!(help.starts_with("ALTER TABLE onlyonce.actions ENABLE ALWAYS TRIGGER "), "{help}");
                database.run(&help).await;
            }
        }
        assert_eq!(told(&verify()), Vec::<String>::new(), "{off}");
    }
}

#[test]
fn there_must_be_something_to_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), "postgres://x:hunter2@localhost/none", &["verify"]);
    assert!(ran.code == 2 && ran.err.contains("onlyonce.toml"), "{ran:?}");
    let (schema, rest) = (ADOPTED.split("[schema.adopt]").next().unwrap(), ADOPTED.split_once("[action").unwrap().1);
    fs::write(folder.path().join("onlyonce.toml"), format!("{schema}[action{rest}")).unwrap();
    let ran = run(folder.path(), "postgres://x:hunter2@localhost/none", &["verify"]);
    assert!(ran.code == 2 && ran.err.contains("onlyonce emit") && !ran.err.contains("hunter2"), "{ran:?}");
}

/// The team's own ledger of `tests/sql/adopted.sql`.
const ADOPTED: &str = "version = 1
[schema]
layout = \"plain\"
[schema.adopt]
actions = \"public.agent_actions\"
key = [\"tenant\", \"idem_key\"]
status = \"state\"
inbound = \"public.webhook_events\"
event_id = \"event_id\"
app_role = \"agent\"
[action.send_reply]
summary = \"Reply\"
same_when = \"it answers the same message\"
key = [\"message_id: text\"]
[inbound.whatsapp]
provider = \"whatsapp_cloud\"
event_id = [\"$.id\"]
retention = \"14d\"
";

impl Team {
    fn that_adopts(with_events: bool) -> Team {
        let folder = tempfile::tempdir().unwrap();
        let whole = ADOPTED.split("[inbound").next().unwrap();
        let without: String =
            whole.lines().filter(|line| !line.contains("event")).map(|line| format!("{line}\n")).collect();
        fs::write(folder.path().join("onlyonce.toml"), if with_events { ADOPTED } else { &without }).unwrap();
        fs::create_dir(folder.path().join("migrations")).unwrap();
        Team { folder }
    }
}

#[tokio::test]
async fn where_the_team_s_own_ledger_is_adopted_another_command_says_what_is_for_it() {
    let server = Server::start(majors()[0], &["fsync=on"]);
    let url = server.database().await.url("postgres");
    let sweep = |args: &[&str]| Team::that_adopts(true).run(&url, args).failed();
    assert!(sweep(&["sweep"]).contains("for yours there are `onlyonce verify` and `onlyonce emit --adopt`"));
    assert!(sweep(&["sweep", "--schema", "onlyonce"]).contains("apply the migrations that `onlyonce emit` wrote"));
}

/// What the findings of a run with JSON hold under a name, for those whose message holds `about`.
fn said(ran: &Ran, about: &str, name: &str) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
    let findings = document["findings"].as_array().unwrap();
    let meant = findings.iter().filter(|one| one["message"].as_str().unwrap().contains(about));
    meant.map(|one| one[name].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn rows_that_break_what_is_missing_are_named_to_who_may_read_them() {
    const TABLES: &str = "CREATE SCHEMA own; CREATE TABLE own.acts (id int PRIMARY KEY, \"Key\" text, state text); \
        INSERT INTO own.acts SELECT n, 'k' || n % 20, 'new' FROM generate_series(1, 40) AS n; \
        INSERT INTO own.acts VALUES (41, repeat('x', 500), 'new'), (42, repeat('x', 500), 'lost'), (43, NULL, 'new'); \
        CREATE ROLE reader LOGIN";
    let folder = tempfile::tempdir().unwrap();
    let manifest = "version = 1\n[schema]\nlayout = \"plain\"\n[schema.adopt]\nactions = \"own.acts\"\nkey = \"Key\"\n\
                    status = \"state\"\ntransitions = [\"new -> sent\"]\n";
    fs::write(folder.path().join("onlyonce.toml"), manifest).unwrap();
    fs::create_dir(folder.path().join("migrations")).unwrap();
    let team = Team { folder };
    for major in majors() {
        let server = Server::start(major, &["fsync=on"]);
        let database = server.database().await;
        database.run(TABLES).await;
        let verify = || team.run(&database.url("reader"), &["verify", "--format", "json"]);
        let ran = verify();
        let untold = said(&ran, "cannot be told", "message");
        assert_eq!(
            untold.iter().map(String::as_str).collect::<BTreeSet<_>>(),
            BTreeSet::from([
                "whether rows of own.acts have another state cannot be told",
                "whether rows of own.acts have no Key cannot be told",
                "whether rows of own.acts have no state cannot be told",
                "whether rows of own.acts share a key cannot be told",
            ])
        );
        assert!(said(&ran, "cannot be told", "verdict").iter().all(|verdict| verdict == "unproven"));
        for grant in said(&ran, "cannot be told", "help") {
            database.run(&grant).await;
        }
        let ran = verify();
        assert_eq!(said(&ran, "cannot be told", "message"), Vec::<String>::new());
        let named = said(&ran, "share: ", "message").concat();
        assert!(named.starts_with("keys (Key) that several rows of own.acts share: 21, such as ("), "{named}");
        assert_eq!(named.matches(" in 2 rows").count(), 5, "{named}");
        assert!(named.len() < 400, "{named}");
        assert_eq!(said(&ran, "share: ", "rule"), ["key-not-unique"]);
        assert_eq!(said(&ran, "without Key: 1, such as id 43", "rule"), ["key-nullable"]);
        assert_eq!(
            said(&ran, "unknown values of state in own.acts: 1, such as 'lost' in 1 row", "rule"),
            ["status-unchecked"]
        );
        // Who sees a part of the rows can tell nothing of all.
        let hidden = "CREATE POLICY few ON own.acts TO reader USING (id < 10)";
        database.run(&format!("{hidden}; ALTER TABLE own.acts ENABLE ROW LEVEL SECURITY")).await;
        let ran = verify();
        assert_eq!(said(&ran, "share a key cannot be told", "verdict"), ["unproven"], "{ran:?}");
        assert!(said(&ran, "share: ", "message").is_empty(), "{ran:?}");
        database.run("ALTER TABLE own.acts DISABLE ROW LEVEL SECURITY").await;
        // What takes too long is not told, and the rest is, whatever the role's own patience.
        let patience = "ALTER ROLE reader SET lock_timeout = 0; ALTER TABLE own.acts ADD UNIQUE (\"Key\", id)";
        database.run(patience).await;
        let holder = database.connect().await;
        holder.batch_execute("BEGIN; LOCK TABLE own.acts").await.unwrap();
        let start = Instant::now();
        let ran = verify();
        assert!(start.elapsed() < Duration::from_secs(28), "{:?}", start.elapsed());
        assert_eq!(said(&ran, "share a key cannot be told", "verdict"), ["unproven"], "{ran:?}");
        assert!(!said(&ran, "unique only", "message").is_empty(), "{ran:?}");
    }
}

#[tokio::test]
async fn rows_that_emission_wrote_are_held_against_what_stands_there() {
    let team = Team::with("");
    let server = Server::start(majors()[0], &["fsync=on"]);
    let database = team.database(&server).await;
    database.run("CREATE ROLE reader LOGIN").await;
    let verify = |role: &str| team.run(&database.url(role), &["verify", "--format", "json"]);
    let ran = verify("reader");
    assert_eq!(said(&ran, "are those that were emitted cannot be told", "verdict"), ["unproven"; 2], "{ran:?}");
    for help in said(&ran, "cannot be told", "help") {
        let grant = help.strip_suffix("; and run verify as a member of onlyonce_monitor").unwrap();
        database.run(&format!("{grant}; GRANT onlyonce_monitor TO reader")).await;
    }
    assert_eq!(told(&verify("reader")), Vec::<String>::new());
    database
        .run(
            "UPDATE onlyonce.action_types SET keep = '1 day', when_unknown = 'retry'; \
             INSERT INTO onlyonce.action_types VALUES ('by_hand', 'send', '1 s', '2 s', 1, 'reconcile'); \
             UPDATE onlyonce.inbound_sources SET retention = '3 days'",
        )
        .await;
    let ran = verify("reader");
    assert_eq!(
        told(&ran),
        [
            "ledger-weakened: action type by_hand in onlyonce.action_types was not emitted",
            "ledger-weakened: keep of action type send_reply is 1 day and was emitted as nothing",
            "ledger-weakened: when_unknown of action type send_reply is retry and was emitted as reconcile",
            "retention-too-short: retention of source whatsapp is 3 days and was emitted as 336:00:00",
        ]
    );
    // However many stand beside them, what was changed is told.
    database
        .run(
            "INSERT INTO onlyonce.action_types SELECT 'a' || n, 'send', '1 s', '2 s', 1, 'reconcile' \
             FROM generate_series(1, 150) AS n",
        )
        .await;
    assert_eq!(said(&verify("reader"), "of action type send_reply is", "help").len(), 2);
    database.run("DELETE FROM onlyonce.action_types WHERE name ~ '^a[0-9]+$'").await;
    for help in said(&ran, "was emitted as", "help") {
        let (first, by_hand) = help.split_once("; if it lacks none, ").unwrap();
        assert_eq!(first, "run the migrations that onlyonce emit wrote and this database lacks");
        database.run(by_hand).await;
    }
    database
        .run("DELETE FROM onlyonce.action_types WHERE name = 'by_hand'; DELETE FROM onlyonce.inbound_sources")
        .await;
    assert_eq!(told(&verify("reader")), ["ledger-missing: source whatsapp is not in onlyonce.inbound_sources"]);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL with Citus: ONLYONCE_CITUS"]
async fn what_citus_distributes_is_verified_on_its_coordinator() {
    let ledger = crate::ledger::cluster::ledger().await.expect("ONLYONCE_CITUS names the PostgreSQL that has it");
    let team = Team::with("roles = \"existing\"\ndistribution = \"citus\"");
    // The scenarios' ledger has other types and sources than this team's: only definitions are the same.
    let definitions = |ran: &Ran| -> Vec<String> {
        let of_rows =
            |one: &String| ["action type", "source ", "of action type", "fsync"].iter().any(|word| one.contains(word));
        told(ran).into_iter().filter(|one| !of_rows(one)).collect()
    };
    let verify = || team.run(&ledger.database.url("postgres"), &["verify", "--format", "json"]);
    assert_eq!(definitions(&verify()), Vec::<String>::new());
    // Each alone: Citus sends the text of the whole to its nodes.
    for statement in ["SET citus.enable_unsafe_triggers = on", "DROP TRIGGER actions_guard_update ON onlyonce.actions"]
    {
        ledger.root.batch_execute(statement).await.unwrap();
    }
    let told = definitions(&verify());
    assert!(told.iter().any(|one| one.starts_with("transition-unguarded: ")), "{told:#?}");
}

/// A server on which every fault is made, one after the other.
struct Bench {
    server: Server,
    adopting: Team,
    alone: Team,
    ours: Team,
    in_partitions: Team,
}

impl Bench {
    /// Makes the fault in a database of its own and verifies that.
    async fn differs(&self, case: &Case) -> Option<String> {
        let adopted = fs::read_to_string("tests/sql/adopted.sql").unwrap();
        let (team, base) = match case.base() {
            Base::Alone => (&self.alone, String::new()),
            Base::Ours(0) => (&self.ours, self.ours.migrations()),
            Base::Ours(_) => (&self.in_partitions, self.in_partitions.migrations()),
            Base::Adopted => (&self.adopting, adopted),
            // It takes a Citus.
            Base::Spread => return None,
        };
        let database = self.server.database().await;
        let root = database.connect().await;
        let mut refused = root.batch_execute(&base).await.err();
        for statement in statements(&case.text) {
            if refused.is_none() {
                refused = root.batch_execute(&statement).await.err();
            }
        }
        drop(root);
        let told = told(&team.run(&database.url("postgres"), &["verify", "--format", "json"]));
        let rules: BTreeSet<String> = told.iter().map(|one| one.split(':').next().unwrap().to_owned()).collect();
        self.forget(&database).await;
        if let Some(error) = refused {
            return Some(format!("{}: {}", case.name(), crate::support::describe(&error)));
        }
        let expected = case.finds_live();
        (rules != expected).then(|| format!("{}: expected {expected:?}, found {told:#?}", case.name()))
    }

    /// Takes the database away, and the roles with it: they are the whole server's.
    async fn forget(&self, database: &Database) {
        let root = database.elsewhere("postgres").await;
        root.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", database.name)).await.unwrap();
        let roles = "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> 'postgres'";
        for row in root.query(roles, &[]).await.unwrap() {
            root.batch_execute(&format!("DROP ROLE {}", row.get::<_, String>(0))).await.unwrap();
        }
    }
}

/// Each alone, since some may not stand in a transaction.
fn statements(text: &str) -> Vec<String> {
    let source = onlyonce::source::Source::new("case.sql", text);
    onlyonce::sql::SourceStatements::read(&source).statements.into_iter().map(|one| one.text).collect()
}

/// Files that a server refuses, as they hold what nobody understands.
const REFUSED: [&str; 3] = ["not-understood.sql", "other-tables.sql", "ours-not-understood.sql"];

#[tokio::test]
async fn every_fault_is_found_in_a_database_and_what_only_looks_like_one_is_not() {
    let mut wrong = Vec::new();
    for major in majors() {
        let bench = Bench {
            server: Server::start(major, &["fsync=on"]),
            adopting: Team::that_adopts(true),
            alone: Team::that_adopts(false),
            ours: Team::with(""),
            in_partitions: Team::with("partitions = 3"),
        };
        for kind in ["faults", "harmless", "live"] {
            for case in cases(kind) {
                if !REFUSED.contains(&case.name()) {
                    wrong.extend(bench.differs(&case).await);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
