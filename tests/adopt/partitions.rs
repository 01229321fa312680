//! Partitions with odd names, with names that adoption would give, and those that are made after it.

use std::fs;

use crate::support::{majors, server};
use crate::{BARE, Shape, adopt, findings, holds, onlyonce, refuses, with_tables};

/// Names with a `$`, partitions with a quote and a `%`, and names that are taken on a partition alone.
const ODD: Shape = Shape {
    tables: "CREATE TABLE sends$guard$ (t$rows$ text COLLATE \"C\", idem text COLLATE \"C\", state$ text) \
             PARTITION BY HASH (idem);\n\
             CREATE TABLE \"it's 5%\" PARTITION OF sends$guard$ FOR VALUES WITH (MODULUS 1, REMAINDER 0);\n\
             ALTER TABLE \"it's 5%\" ADD CONSTRAINT sends$guard$_state$_check CHECK (length(state$) < 99);\n\
             CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;\n\
             CREATE TRIGGER sends$guard$_guard AFTER INSERT ON \"it's 5%\" FOR EACH ROW EXECUTE FUNCTION nothing();\n\
             CREATE TRIGGER sends$guard$_no_truncate AFTER INSERT ON \"it's 5%\" FOR EACH ROW EXECUTE FUNCTION nothing();\n",
    adopt: "actions = \"sends$guard$\"\nkey = [\"t$rows$\", \"idem\"]\nstatus = \"state$\"\ntransitions = [\"new -> sent\"]\n",
    good: "INSERT INTO sends$guard$ VALUES ('t', 'a', 'new'), ('t', 'b', 'sent')",
    bad: "INSERT INTO sends$guard$ VALUES ('t', 'a', 'new'), ('t', 'a', 'sent'), (NULL, 'b', 'lost')",
    named: &[
        "keys (t$rows$, idem) that several rows of public.sends$guard$ share: 1, such as (t, a) in 2 rows",
        "it's 5%",
        " ctid (0,3)",
        "unknown values of state$ in public.sends$guard$: 1, such as 'lost' in 1 row",
    ],
    refused: &[
        ("INSERT INTO sends$guard$ VALUES ('t', 'a', 'new')", "23505"),
        ("UPDATE sends$guard$ SET state$ = 'new'", "23514"),
        ("DELETE FROM sends$guard$", "23001"),
        ("TRUNCATE \"it's 5%\"", "23001"),
    ],
    allowed: "UPDATE sends$guard$ SET state$ = 'sent'",
};

#[tokio::test(flavor = "multi_thread")]
async fn odd_names_and_those_of_partitions_stay_what_they_are() {
    holds(&ODD).await;
    refuses(&ODD).await;
}

/// A partition that was made after the tables were adopted gets its guard by the next run.
#[tokio::test(flavor = "multi_thread")]
async fn a_partition_that_is_made_later_is_brought_up() {
    const TABLES: &str = "CREATE TABLE acts (idem text COLLATE \"C\", state text) PARTITION BY LIST (idem);\n\
                          CREATE TABLE acts_a PARTITION OF acts FOR VALUES IN ('a');\n";
    const LATER: &str = "CREATE TABLE acts_b PARTITION OF acts FOR VALUES IN ('b');\n";
    let adopt_it = "actions = \"acts\"\nkey = \"idem\"\nstatus = \"state\"\ntransitions = [\"new -> sent\"]\n";
    let place = with_tables(&Shape { tables: TABLES, adopt: adopt_it, ..BARE });
    let database = server(majors()[0]).database().await;
    database.run(TABLES).await;
    assert_eq!(onlyonce(place.path(), &["emit", "--adopt"]).0, 0);
    fs::write(place.path().join("m/20280101000000_later.sql"), LATER).unwrap();
    let (_, found) = onlyonce(place.path(), &["check", "--only", "sql", "--format", "json"]);
    assert!(found.contains("TRUNCATE is not guarded in a partition of public.acts: public.acts_b"), "{found}");
    let (exit, said) = onlyonce(place.path(), &["emit", "--adopt"]);
    assert_eq!(exit, 0, "{said}");
    adopt(place.path(), &database).await.unwrap();
    let [check, verify] = findings(place.path(), &database);
    assert!(!check.contains("TRUNCATE") && !verify.contains("TRUNCATE"), "{check}\n{verify}");
    let refused = database.connect().await.batch_execute("TRUNCATE acts_b").await.unwrap_err();
    assert_eq!(refused.code().unwrap().code(), "23001");
}
