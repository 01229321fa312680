//! Text of any size and shape is read, played and judged: no panic, no stack that runs out, nothing left out.

use std::time::Instant;

use super::{Case, cases, folder, lint, read, subject};
use onlyonce::source::Source;
use onlyonce::sql::SourceStatements;

/// Far beyond what a recursive reader has stack for, on a test's two megabytes.
const MANY: usize = 100_000;

/// The rules that find something once this is laid upon the team's ledger.
fn rules(text: &str) -> Vec<&'static str> {
    let history = [read(&folder("adopted.sql")), SourceStatements::read(&Source::new("long.sql", text))];
    let mut rules: Vec<&str> = lint::run(&history, &subject()).iter().map(|one| one.rule).collect();
    rules.dedup();
    rules
}

fn chain(link: &str, between: &str) -> String {
    vec![link; MANY].join(between)
}

#[test]
fn a_chain_of_any_length_is_read_and_judged() {
    let or = chain("state = 'x'", " OR ");
    let nested = format!("{}1{}", "abs(".repeat(MANY), ")".repeat(MANY));
    for (text, expected) in [
        // What a check of that length allows was not understood, and so it proves nothing.
        (
            format!("ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_state_known, ADD CHECK ({or})"),
            vec!["status-unchecked"],
        ),
        (format!("CREATE UNIQUE INDEX more ON agent_actions (tenant, idem_key) WHERE {or}"), vec![]),
        (format!("CREATE VIEW v AS {}", chain("SELECT 1", " UNION ALL ")), vec![]),
        (format!("ALTER TABLE agent_actions ADD COLUMN c text DEFAULT {}", chain("'x'", " || ")), vec![]),
        (format!("SELECT {nested}"), vec![]),
        (format!("SELECT {}", chain("f('x')", ", ")), vec![]),
        (format!("UPDATE agent_actions SET payload = {}", chain("payload", " || ")), vec![]),
        (
            format!(
                "CREATE TRIGGER t AFTER UPDATE ON agent_actions FOR EACH ROW WHEN ({}) EXECUTE FUNCTION agent_actions_keep()",
                chain("OLD.state = 'x'", " AND ")
            ),
            vec![],
        ),
        (format!("DO $$ BEGIN {} END $$", chain("PERFORM 1;", " ")), vec![]),
        (format!("DO $$ BEGIN {} DROP TABLE agent_actions; END $$", chain("IF a THEN b := 1; END IF;", " ")), {
            vec!["ledger-missing"]
        }),
        (
            format!("CREATE TABLE wide ({})", (0..MANY).map(|n| format!("c{n} int")).collect::<Vec<_>>().join(", ")),
            vec![],
        ),
    ] {
        let head: String = text.chars().take(60).collect();
        assert_eq!(rules(&text), expected, "{head}");
    }
}

/// Routines that call each other are followed so far and no further.
#[test]
fn calls_that_multiply_come_to_an_end() {
    let mut text = String::new();
    for level in 0..40 {
        let next = format!("PERFORM f{}(); ", level + 1).repeat(40);
        text += &format!(
            "CREATE FUNCTION f{level}() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {next} DROP TABLE x; END $$;\n"
        );
    }
    let start = Instant::now();
    assert_eq!(rules(&format!("{text}SELECT f0();")), Vec::<&str>::new());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let itself = "CREATE FUNCTION g() RETURNS void LANGUAGE sql AS 'SELECT g(); DROP TABLE agent_actions'; SELECT g();";
    assert_eq!(rules(itself), ["ledger-missing", "unread-statement"]);
}

/// Partitions that lie in each other, which a server refuses and a block that never runs may say, and very many levels.
#[test]
fn partitions_in_a_circle_or_deep_below_come_to_an_end() {
    let each = "CREATE INDEX i ON p (k); DROP INDEX i; ALTER TABLE p ADD CONSTRAINT u UNIQUE (k), DROP CONSTRAINT u; \
                CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; \
                CREATE TRIGGER t BEFORE UPDATE ON p FOR EACH ROW EXECUTE FUNCTION f(); \
                ALTER TABLE p ENABLE ALWAYS TRIGGER t; DROP TRIGGER t ON p; DROP TABLE p;";
    let levels = |last: usize| {
        let level = |n: usize| format!("CREATE TABLE p{n} PARTITION OF p{} DEFAULT PARTITION BY LIST (k);\n", n - 1);
        (1..=last).map(level).collect::<String>().replace("p0 ", "p ")
    };
    let acts = "CREATE TABLE acts (k text) PARTITION BY LIST (k); \
                CREATE TABLE p PARTITION OF acts FOR VALUES IN ('a') PARTITION BY LIST (k);";
    for text in [
        "CREATE TABLE p PARTITION OF p DEFAULT PARTITION BY LIST (k);".to_owned(),
        format!("{acts} DO $$ BEGIN IF false THEN ALTER TABLE p ATTACH PARTITION acts DEFAULT; END IF; END $$;"),
        // The name of a table that was never made is given to one below it.
        format!(
            "{acts} ALTER TABLE x ATTACH PARTITION acts DEFAULT; CREATE TABLE q PARTITION OF p DEFAULT; \
                 ALTER TABLE q RENAME TO x;"
        ),
        format!("CREATE TABLE p (k text) PARTITION BY LIST (k);\n{}", levels(5_000)),
    ] {
        let head: String = text.chars().take(60).collect();
        assert_eq!(rules(&format!("{text} {each}")), Vec::<&str>::new(), "{head}");
    }
}

#[test]
fn what_stands_behind_ten_megabytes_is_found() {
    let fault = "ALTER TABLE agent_actions DROP CONSTRAINT agent_actions_key;";
    let filled = |line: &str, megabytes: usize| format!("{}{fault}", line.repeat((megabytes << 20) / line.len()));
    for (line, megabytes) in [
        ("INSERT INTO other VALUES (1, 'it''s and so on, as text of some length does', now(), $$a;b$$);\n", 10),
        ("-- a comment; and more of it\n", 10),
        ("ALTER TABLE other ADD COLUMN IF NOT EXISTS c int DEFAULT 1 CHECK (c > 0);\n", 1),
    ] {
        assert_eq!(rules(&filled(line, megabytes)), ["key-not-unique"], "{line}");
    }
    let rows = format!("COPY other FROM stdin;\n{}\\.\n{fault}", "1\tit's; $$ x\n".repeat((10 << 20) / 13));
    assert_eq!(rules(&rows), ["key-not-unique"]);
    let one = format!("INSERT INTO other VALUES {};\n{fault}", vec!["(1, f('x'), gen())"; (1 << 20) / 20].join(", "));
    assert_eq!(rules(&one), ["key-not-unique"]);
    let text = format!("INSERT INTO other VALUES ('{}');\n{fault}", "it''s ".repeat((10 << 20) / 6));
    assert_eq!(rules(&text), ["key-not-unique"]);
}

/// Rule and line of each finding of a case, with its text changed first.
fn placed(case: &Case, change: impl Fn(&str) -> String) -> Vec<(&'static str, usize)> {
    let adopted = std::fs::read_to_string(folder("adopted.sql")).unwrap();
    let history: Vec<SourceStatements> = [("adopted.sql", adopted.as_str()), ("case.sql", case.text.as_str())]
        .map(|(name, text)| SourceStatements::read(&Source::new(name, change(text))))
        .into();
    let findings = lint::run(&history, &subject());
    findings.iter().map(|one| (one.rule, one.place.source.position(one.place.span.start).line)).collect()
}

#[test]
fn line_ends_and_marks_of_other_systems_change_nothing() {
    for case in cases("faults").iter().filter(|case| case.base() == super::Base::Adopted) {
        let plain = placed(case, str::to_owned);
        assert!(!plain.is_empty(), "{}", case.name());
        assert_eq!(placed(case, |text| text.replace('\n', "\r\n")), plain, "CRLF: {}", case.name());
        assert_eq!(placed(case, |text| format!("\u{feff}{text}")), plain, "a mark of order: {}", case.name());
        let ended = |text: &str| format!("\u{feff}{}\u{1a}", text.replace('\n', "\r\n"));
        assert!(placed(case, ended).len() >= plain.len(), "an end of DOS: {}", case.name());
    }
}

/// Other people's SQL: `ONLYONCE_SQL=/postgres/src/test/regress cargo test --test sql asked -- --nocapture` reads, plays and
/// judges every `.sql` file below, each alone and all as one history, and says how much of it was read.
#[test]
fn files_that_are_asked_for() {
    let Some(root) = std::env::var_os("ONLYONCE_SQL") else { return };
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "sql"));
    let (mut all, mut statements, mut opaque, mut most) = (Vec::new(), 0, 0, (0.0, String::new()));
    for entry in files {
        let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
        let start = Instant::now();
        let file = SourceStatements::read(&Source::new(entry.path().display().to_string(), text));
        let _ = lint::run(std::slice::from_ref(&file), &subject());
        let took = start.elapsed().as_secs_f64();
        if took > most.0 {
            most = (took, file.source.name().to_owned());
        }
        for one in &file.statements {
            assert_eq!(file.source.slice(one.span), one.text);
            statements += 1;
            opaque += usize::from(matches!(one.parsed, onlyonce::sql::Parsed::Opaque { .. }));
        }
        all.push(file);
    }
    let findings = lint::run(&all, &subject()).len();
    println!("{} files, {statements} statements, {opaque} not read, {findings} findings; most: {most:?}", all.len());
}

/// What a rename costs is what the thing itself holds: to play very many takes a multiple of what it takes to read them.
#[test]
fn renames_of_many_things_stay_linear() {
    let made = "CREATE TYPE e% AS ENUM ('a'); \
                CREATE TABLE t%(id int PRIMARY KEY, a text UNIQUE, b text CHECK (b <> ''), r int REFERENCES t0, e e%); \
                CREATE FUNCTION f%() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; \
                CREATE TRIGGER g BEFORE UPDATE ON t% FOR EACH ROW EXECUTE FUNCTION f%(); GRANT SELECT ON t% TO r%; \
                CREATE INDEX i% ON t% (b); CREATE VIEW v% AS SELECT 1;";
    for rename in [
        "ALTER TABLE t% RENAME TO n%;",
        "ALTER TABLE t% SET SCHEMA other;",
        "ALTER INDEX i% RENAME TO n%;",
        "ALTER TABLE t% RENAME COLUMN a TO n;",
        "ALTER TABLE t% RENAME CONSTRAINT t%_pkey TO n%;",
        "ALTER TRIGGER g ON t% RENAME TO n;",
        "ALTER VIEW v% RENAME TO n%;",
        "DROP TABLE t% CASCADE;",
        "ALTER FUNCTION f%() RENAME TO n%;",
        "ALTER TYPE e% RENAME TO n%;",
    ] {
        let each = |text: &str| (1..=3_000).map(|n| text.replace('%', &n.to_string())).collect::<String>();
        let text = format!("CREATE TABLE t0 (id int PRIMARY KEY); {}{}", each(made), each(rename));
        let start = Instant::now();
        let history = [SourceStatements::read(&Source::new("many.sql", text))];
        let reading = start.elapsed();
        let played = || {
            let start = Instant::now();
            assert!(onlyonce::schema::replay(&history).schema.tables.len() <= 3_001);
            start.elapsed()
        };
        // The machine is shared: one run of some that nothing else slows is enough.
        assert!(
            (0..5).any(|_| played() < reading * 3),
            "{rename}: what takes {reading:?} to read takes too long to play"
        );
    }
}
