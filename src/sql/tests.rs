use proptest::prelude::*;

use super::split::split;
use super::*;

fn texts(sql: &str) -> Vec<String> {
    statements(&Source::new("a.sql", sql)).into_iter().map(|statement| statement.text).collect()
}

fn opaque(sql: &str) -> Vec<String> {
    let read = statements(&Source::new("a.sql", sql));
    read.into_iter().filter(|one| matches!(one.parsed, Parsed::Opaque { .. })).map(|one| one.text).collect()
}

#[test]
fn semicolons_in_quotes_comments_and_parentheses_end_nothing() {
    assert_eq!(texts("SELECT 'a;b''c;'; SELECT 2"), ["SELECT 'a;b''c;'", "SELECT 2"]);
    assert_eq!(texts(r"SELECT E'it\';s', 'c:\'; SELECT 2"), [r"SELECT E'it\';s', 'c:\'", "SELECT 2"]);
    assert_eq!(texts("SELECT U&'d\\0061;' ; SELECT U&\"a;\"\"b\""), ["SELECT U&'d\\0061;'", "SELECT U&\"a;\"\"b\""]);
    assert_eq!(texts("SELECT \"a;\"\"b;\"; SELECT 2"), ["SELECT \"a;\"\"b;\"", "SELECT 2"]);
    assert_eq!(texts("-- a; b\nSELECT 1 -- ; c\n+ 2;"), ["SELECT 1 -- ; c\n+ 2"]);
    assert_eq!(texts("/* a; /* b; */ ; */ SELECT 1; /* open ; SELECT 2"), ["SELECT 1"]);
    assert_eq!(texts("CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3").len(), 2);
}

#[test]
fn dollar_quotes_close_at_their_own_tag() {
    let body = "CREATE FUNCTION f() RETURNS void AS $fn$ SELECT $$;$$; $x$ ; $fn$ LANGUAGE sql";
    assert_eq!(texts(&format!("{body}; SELECT 2")), [body, "SELECT 2"]);
    assert_eq!(texts("SELECT $1; SELECT a$b$; SELECT 3"), ["SELECT $1", "SELECT a$b$", "SELECT 3"]);
    assert_eq!(texts("SELECT $é$;$é$; SELECT 2"), ["SELECT $é$;$é$", "SELECT 2"]);
}

#[test]
fn the_body_of_an_atomic_routine_is_part_of_it() {
    let body = "CREATE OR REPLACE FUNCTION f(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC \
                SELECT CASE WHEN a > 1 THEN 1 ELSE 2 END; SELECT 3; END";
    assert_eq!(texts(&format!("{body}; SELECT 4")), [body, "SELECT 4"]);
    assert_eq!(texts("BEGIN; SELECT 1; END; SELECT 2").len(), 4);
}

#[test]
fn rows_of_a_copy_are_no_statements() {
    assert_eq!(
        texts("COPY t (a, b) FROM stdin;\n1\tit's; x\n\\.\n\nSELECT 2;"),
        ["COPY t (a, b) FROM stdin", "SELECT 2"]
    );
    assert_eq!(texts("COPY t FROM STDIN;\r\n$$\t2\r\n\\.\r\nSELECT 2;\r\n").len(), 2);
    assert_eq!(texts("COPY t FROM STDIN;\nSELECT 2;"), ["COPY t FROM STDIN", "SELECT 2"]);
    // psql sends what stands before a backslash, and reads the rows from the next line on.
    assert_eq!(texts("COPY t FROM STDIN \\g\n1\tit's; x\n\\.\nSELECT 2;"), ["COPY t FROM STDIN", "SELECT 2"]);
}

#[test]
fn lines_for_psql_are_none_and_an_included_file_is_told() {
    let sql = "\u{feff}\\set ON_ERROR_STOP on\r\nCREATE TABLE t (k text);\r\n\\restrict it's\r\nSELECT 2;\r\n";
    assert_eq!(texts(sql), ["CREATE TABLE t (k text)", "SELECT 2"]);
    assert_eq!(opaque("\\ir more.sql\nSELECT 1;"), ["\\ir more.sql"]);
    assert_eq!(texts("SELECT 1 \\g\nSELECT 2"), ["SELECT 1", "SELECT 2"]);
}

#[test]
fn spans_count_from_the_start_of_the_file() {
    let source = Source::new("a.sql", "\u{feff}-- é\nCREATE TABLE é (k text); \n SELECT 'ü' ;");
    for statement in statements(&source) {
        assert_eq!(source.slice(statement.span), statement.text);
    }
    let down = source.text().find("SELECT").unwrap();
    let up = SourceStatements::read_within(&source, Span::new(0, down));
    assert_eq!(up.statements.len(), 1);
}

#[test]
fn what_the_reader_leaves_over_is_not_read() {
    let odd = "CREATE TABLE u (k text) nonsense here";
    assert_eq!(opaque(&format!("CREATE TABLE t (k text); {odd}")), [odd]);
    assert_eq!(opaque("ALTER TABLE t FROB x; ALTER TABLE t ALTER k SET NOT NULL junk").len(), 2);
}

/// Forms that PostgreSQL takes and a general parser does not, one a line.
#[test]
fn every_form_that_migrations_hold_is_read() {
    assert_eq!(opaque(include_str!("../../tests/sql/forms.sql")), ["CREATE SCHEMA s CREATE TABLE t (a int)"]);
}

#[test]
fn deep_and_long_statements_are_read_on_a_small_stack() {
    let chain = vec!["a = 1"; 100_000].join(" OR ");
    assert!(opaque(&format!("CREATE VIEW v AS SELECT 1 WHERE {chain}")).is_empty());
    let nested = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(opaque(&format!("CREATE TABLE t (a int CHECK {nested})")).is_empty());
    assert_eq!(opaque(&format!("CREATE TABLE t (a int CHECK {}", "(".repeat(100_000))).len(), 1);
    let blocks = format!("DO $$ {} {} $$", "BEGIN ".repeat(50_000), "END; ".repeat(50_000));
    assert!(opaque(&blocks).is_empty());
}

#[test]
fn a_block_tells_what_is_sure_to_run() {
    let sql = "DO $$ DECLARE n int := 1; BEGIN\n DROP TABLE a; IF n > 1 THEN DROP TABLE b; ELSE DROP TABLE c; END IF;\n\
               BEGIN DROP TABLE d; EXCEPTION WHEN others THEN NULL; END; EXECUTE 'DROP TABLE e';\n\
               EXECUTE format('ALTER TABLE %I SET UNLOGGED', n); n := n + 1; PERFORM f(); END $$;";
    let source = Source::new("a.sql", sql);
    let Parsed::Read(acts) = &statements(&source)[0].parsed else { panic!("not read") };
    let seen: Vec<_> = acts.iter().map(|act| (source.slice(act.span), act.certain)).collect();
    assert_eq!(
        seen,
        [
            ("DROP TABLE a", true),
            ("DROP TABLE b", false),
            ("DROP TABLE c", false),
            ("DROP TABLE d", false),
            ("EXECUTE 'DROP TABLE e'", true),
            ("EXECUTE format('ALTER TABLE %I SET UNLOGGED', n)", true),
            ("f", true),
        ]
    );
}

#[test]
fn text_that_is_known_before_it_runs_is_read() {
    for text in [
        "'DROP TABLE \"t\"'",
        "'DROP ' || 'TABLE t'",
        "format('DROP %s %I', 'TABLE', 't')",
        "pg_catalog.format('DROP TABLE t /* %% */')",
    ] {
        let sql = format!("DO $$ BEGIN EXECUTE {text}; END $$");
        let Parsed::Read(acts) = &statements(&Source::new("a.sql", sql))[0].parsed else {
            panic!("{text} was not read")
        };
        assert!(matches!(&acts[0].kind, ddl::ActKind::DropTable { name, .. } if name.name == "t"), "{text}: {acts:?}");
    }
}

#[test]
fn an_exception_covers_what_it_stands_above_or_behind() {
    let source = Source::new(
        "a.sql",
        "-- onlyonce: allow(ledger-weakened, reason = \"rebuilt below\")\nDROP INDEX i;\n\
         DROP INDEX j; -- onlyonce: allow(key-not-unique)\n\
         CREATE TABLE t (\n  k text, -- onlyonce: allow(key-nullable, reason = 'x')\n  \
         /* onlyonce: allow(key-collation, reason = \"y\") */\n  l text\n);\n-- onlyonce: alow(x)\n",
    );
    let allows = SourceStatements::read(&source).allows;
    let seen: Vec<_> = allows
        .iter()
        .map(|one| (one.rules.join(" "), one.reason.as_deref(), source.slice(one.covers).trim()))
        .collect();
    assert_eq!(
        seen,
        [
            ("ledger-weakened".to_owned(), Some("rebuilt below"), "DROP INDEX i"),
            ("key-not-unique".to_owned(), None, "DROP INDEX j"),
            ("key-nullable".to_owned(), Some("x"), "k text,"),
            ("key-collation".to_owned(), Some("y"), "l text"),
            (String::new(), None, ""),
        ]
    );
}

#[test]
fn an_exception_names_rules_reason_and_last_day_in_any_order() {
    let read = |text: &str| {
        let source = Source::new("a.sql", format!("-- onlyonce: {text}\nSELECT 1;\n"));
        let allow = SourceStatements::read(&source).allows.remove(0);
        (allow.rules.join(" "), allow.reason.unwrap_or_default(), allow.until.unwrap_or_default())
    };
    let is = |text: &str, rules: &str, reason: &str, until: &str| {
        assert_eq!(read(text), (rules.to_owned(), reason.to_owned(), until.to_owned()), "{text}");
    };
    is("allow(a-b, c, reason = \"x, y = z)\", until = '2027-01-31')", "a-b c", "x, y = z)", "2027-01-31");
    is("allow(until = \"2027-01-31\", a, reason='it''s')", "a", "it''s", "2027-01-31");
    is("allow(a, reason = \"  \",)", "a", "", "");
    for unreadable in ["allow(a, reason = x)", "allow(a, because = \"x\")", "allow a", "allow(a, reason = \"x\""] {
        is(unreadable, "", "", "");
    }
}

/// Everything between the pieces is blanks and semicolons.
fn covers_all(text: &str) -> Result<(), TestCaseError> {
    let pieces = split(text, Span::new(0, text.len()));
    let mut all: Vec<Span> = [pieces.statements, pieces.commands, pieces.rows].concat();
    // Comments stand between the pieces, or within one.
    let within = |comment: &Span| all.iter().any(|piece| piece.contains(*comment));
    let between: Vec<Span> = pieces.comments.into_iter().filter(|comment| !within(comment)).collect();
    all.extend(between);
    all.sort();
    let mut outside = String::new();
    let mut at = 0;
    for span in all {
        prop_assert!(at <= span.start && span.start <= span.end, "{span:?} overlaps or is out of order");
        outside.push_str(text.get(at..span.start).unwrap());
        at = span.end;
    }
    outside.push_str(text.get(at..).unwrap());
    let blank = |one: char| one.is_ascii_whitespace() || one == '\u{b}' || one == ';' || one == '\u{feff}';
    prop_assert!(outside.chars().all(blank), "{outside:?} was lost");
    Ok(())
}

proptest! {
    #[test]
    fn no_byte_is_lost(parts in prop::collection::vec(prop::sample::select(vec![
        "'", "''", "E'", "\\", "\"", "$$", "$a$", "$1", "--", "/*", "*/", "\n", ";", "(", ")", "BEGIN ATOMIC ", "END ", "CREATE FUNCTION ",
        "COPY t FROM STDIN", "\\.\n", "\\i x", "é", "\u{feff}", "U&\"", " ", "\t", "SELECT ", "e1", "1e-",
    ]), 0..60)) {
        covers_all(&parts.concat())?;
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        covers_all(&text)?;
        let read = SourceStatements::read(&Source::new("a.sql", text));
        prop_assert!(read.statements.iter().all(|one| read.source.slice(one.span) == one.text));
    }
}
