//! The schema model against real servers: what a replay says is there is what PostgreSQL has, name by name. Run over the
//! ledger that is emitted, and over every file of `tests/sql`, which shows besides that each of them is SQL.

#[path = "support/sql_case.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod sql_case;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use onlyonce::migration::folder::{Folder, entries};
use onlyonce::migration::tell::tell;
use onlyonce::schema::{Column, Demand, Doubt, Grant, Name, Note, Replayed, Schema, replay};
use onlyonce::source::Source;
use onlyonce::sql::ddl::{Enabled, ObjectKind, Persistence};
use onlyonce::sql::{Parsed, SourceStatements};
use onlyonce::{emit, manifest};
use sql_case::{Base, cases};
use support::{majors, server};
use tokio_postgres::Client;

/// What is compared: one line a fact.
const CATALOG: &str = r#"
WITH own AS (SELECT oid, nspname FROM pg_namespace
  WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema'),
-- What an extension brought is its own, and so is what a type of ranges brings.
brought AS (SELECT objid FROM pg_depend WHERE deptype = 'e' OR (deptype = 'i' AND classid = 'pg_proc'::regclass)),
tables AS (SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relpersistence FROM pg_class c JOIN own n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND c.oid NOT IN (SELECT objid FROM brought))
SELECT 'table ' || name || ' ' || relpersistence::text FROM tables
UNION ALL
SELECT 'column ' || t.name || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull
  || coalesce(' ' || nullif(l.collname, 'default'), '')
  || CASE WHEN a.attgenerated <> '' OR a.attidentity <> '' THEN ' generated' WHEN d.adbin IS NOT NULL THEN ' default' ELSE '' END
FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_collation l ON l.oid = a.attcollation
-- NULL is what holds without a default; it is kept where the type has a length.
LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum AND pg_get_expr(d.adbin, t.oid) NOT LIKE 'NULL::%'
UNION ALL
SELECT 'constraint ' || t.name || ' ' || k.conname || ' ' || k.contype::text || k.condeferrable || k.convalidated
  || coalesce(i.indisvalid, true)
FROM tables t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype IN ('p', 'u', 'c', 'f', 'x')
LEFT JOIN pg_index i ON i.indexrelid = k.conindid AND i.indrelid = t.oid AND k.contype <> 'f'
UNION ALL
SELECT 'index ' || t.name || ' ' || c.relname || ' ' || i.indisunique || (i.indpred IS NOT NULL) || i.indisvalid
FROM tables t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
UNION ALL
SELECT 'trigger ' || t.name || ' ' || g.tgname || ' ' || g.tgenabled::text
FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid
  -- Up to 14 what a partition has from its parent counts as internal.
  AND (NOT g.tgisinternal OR (g.tgparentid <> 0 AND g.tgconstraint = 0))
UNION ALL
SELECT 'routine ' || n.nspname || '.' || p.proname || '(' || CASE p.prokind WHEN 'p' THEN '' ELSE oidvectortypes(p.proargtypes) END
  || ') ' || p.prosecdef || coalesce((SELECT string_agg(split_part(one, '=', 1), ',') FROM unnest(p.proconfig) AS one), '')
FROM pg_proc p JOIN own n ON n.oid = p.pronamespace WHERE p.oid NOT IN (SELECT objid FROM brought)
UNION ALL
SELECT 'view ' || n.nspname || '.' || c.relname FROM pg_class c JOIN own n ON n.oid = c.relnamespace WHERE c.relkind IN ('v', 'm')
  AND c.oid NOT IN (SELECT objid FROM brought)
UNION ALL
SELECT 'grant ' || n.nspname || '.' || c.relname || ' ' || coalesce(r.rolname, 'public') || ' ' || lower(x.privilege_type)
FROM pg_class c JOIN own n ON n.oid = c.relnamespace CROSS JOIN aclexplode(c.relacl) x LEFT JOIN pg_roles r ON r.oid = x.grantee
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND x.grantee <> c.relowner AND x.privilege_type <> 'MAINTAIN'
UNION ALL
SELECT 'grant ' || n.nspname || '.' || p.proname || ' ' || coalesce(r.rolname, 'public') || ' execute'
FROM pg_proc p JOIN own n ON n.oid = p.pronamespace CROSS JOIN aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
LEFT JOIN pg_roles r ON r.oid = x.grantee WHERE x.grantee <> p.proowner AND p.oid NOT IN (SELECT objid FROM brought)
"#;

/// The same facts of the model.
fn lines(schema: &Schema) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (name, table) in &schema.tables {
        let persistence = match table.persistence {
            Persistence::Permanent => "p",
            Persistence::Unlogged => "u",
            Persistence::Temporary => "t",
        };
        lines.insert(format!("table {name} {persistence}"));
        for (column, one) in table.columns.iter().filter(|(_, one)| !one.type_name.is_empty()) {
            let collation = one.collation.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let default = match (&one.generated, &one.default) {
                (Some(_), _) => " generated",
                (None, Some(_)) => " default",
                (None, None) => "",
            };
            let not_null = table.refuses_null(column);
            lines.insert(format!("column {name} {column} {}{not_null}{collation}{default}", one.type_name));
        }
        for (constraint, one) in &table.constraints {
            let kind = match one.demand {
                Demand::Primary(_) => "p",
                Demand::Unique { .. } => "u",
                Demand::Check(_) => "c",
                Demand::Foreign { .. } => "f",
                Demand::Exclude(_) => "x",
            };
            lines.insert(format!("constraint {name} {constraint} {kind}{}{}{}", one.deferrable, one.valid, one.whole));
        }
        for (index, one) in &table.indexes {
            lines.insert(format!("index {name} {index} {}{}{}", one.unique, one.predicate.is_some(), one.whole));
        }
        for (trigger, one) in &table.triggers {
            let enabled = match one.enabled {
                Enabled::Origin => "O",
                Enabled::Always => "A",
                Enabled::Replica => "R",
                Enabled::Never => "D",
            };
            lines.insert(format!("trigger {name} {trigger} {enabled}"));
        }
    }
    for (signature, one) in &schema.routines {
        let arguments = if one.definition.is_procedure { String::new() } else { signature.arguments.join(", ") };
        let settings: Vec<&str> = one.definition.settings.keys().map(String::as_str).collect();
        lines.insert(format!(
            "routine {}({arguments}) {}{}",
            signature.name,
            one.definition.definer,
            settings.join(",")
        ));
    }
    lines.extend(schema.views.keys().map(|name| format!("view {name}")));
    let kept = |kind: ObjectKind| matches!(kind, ObjectKind::Table | ObjectKind::Routine);
    // An owner has every right anyway, and the server's list of others' rights leaves the owner out.
    let owns =
        |grant: &Grant| schema.tables.get(&grant.object).and_then(|table| table.owner.as_ref()) == Some(&grant.role);
    let told = |grant: &&Grant| kept(grant.kind) && grant.privilege != "maintain" && !owns(grant);
    for grant in schema.grants.keys().filter(told) {
        lines.insert(format!("grant {} {} {}", grant.object, grant.role, grant.privilege));
    }
    lines
}

/// Plays the files in a transaction that is undone, and tells what differs; `None` where the server refuses one.
async fn differences(client: &Client, files: &[SourceStatements]) -> Option<Vec<String>> {
    client.batch_execute("BEGIN").await.unwrap();
    let mut refused = false;
    for statement in files.iter().flat_map(|file| &file.statements) {
        // What may not stand in a transaction does the same without the word.
        let text = statement.text.replace("CONCURRENTLY", "");
        if let Err(error) = client.batch_execute(&text).await {
            eprintln!("{error}: {text}");
            refused = true;
            break;
        }
    }
    let actual = if refused { BTreeSet::new() } else { facts(client).await };
    client.batch_execute("ROLLBACK").await.unwrap();
    if refused {
        return None;
    }
    Some(apart(&replay(files), &actual))
}

/// What the server has.
async fn facts(client: &Client) -> BTreeSet<String> {
    client.query(CATALOG, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

/// What one of the two has and the other has not, and the model does not leave open.
fn apart(replayed: &Replayed, actual: &BTreeSet<String>) -> Vec<String> {
    let model = lines(&replayed.schema);
    // Whether an index has a part in partitions that nobody knows is not known either.
    let part_lacks = |whole: &str| whole.strip_suffix("true").map(|start| format!("{start}false"));
    let is_index = |line: &str| line.starts_with("index ") || line.starts_with("constraint ");
    let is_open = |line: &&String| {
        is_index(line) && makes_tables(replayed) && part_lacks(line).is_some_and(|twin| actual.contains(&twin))
    };
    let of_open = |line: &&String| {
        is_index(line)
            && makes_tables(replayed)
            && line.strip_suffix("false").is_some_and(|start| model.contains(&format!("{start}true")))
    };
    let only_here = model.difference(actual).filter(|line| !is_open(line));
    let only_here = only_here.map(|line| format!("model only:  {line}"));
    let only_there = actual.difference(&model).filter(|line| !left_open(replayed, line) && !of_open(line));
    only_here.chain(only_there.map(|line| format!("server only: {line}"))).collect()
}

/// Whether the model says that it does not know: a column of a table that a query made, or a table where the text that
/// makes one is put together when it runs.
fn left_open(replayed: &Replayed, line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let [kind, table, name, ..] = words.as_slice() else { return false };
    match replayed.schema.tables.get(&Name::parse(table)) {
        Some(table) => {
            let known = |column: &Column| !column.type_name.is_empty();
            *kind == "column" && table.from_query && !table.columns.get(*name).is_some_and(known)
        }
        None => !matches!(*kind, "routine" | "view") && makes_tables(replayed),
    }
}

/// Whether text that makes a table is put together when it runs.
fn makes_tables(replayed: &Replayed) -> bool {
    let makes = |note: &Note| note.doubt == Doubt::PutTogether && note.text.to_lowercase().contains("create table");
    replayed.notes.iter().any(makes)
}

fn read(path: &Path) -> SourceStatements {
    SourceStatements::read(&Source::new(path.display().to_string(), fs::read_to_string(path).unwrap()))
}

/// The emitted ledger, with these lines in `[schema]`.
fn ledger(schema: &str) -> SourceStatements {
    let text = format!(
        "version = 1\n[schema]\n{schema}\n[action.send_reply]\nsummary = \"Reply\"\n\
         same_when = \"it answers the same message\"\nkey = [\"message_id: text\"]\n\
         [inbound.whatsapp]\nevent_id = [\"$.id\"]\nretention = \"14d\"\n"
    );
    let manifest = manifest::check::check(&Source::new("onlyonce.toml", text), PathBuf::from("/x"), &[]).unwrap();
    let now = jiff::Timestamp::UNIX_EPOCH;
    let migration = emit::plan(&manifest, &emit::Ground::default(), now).unwrap().migrations.remove(0);
    // What spreads it over nodes is Citus's own.
    let here = migration.up.iter().filter(|statement| !statement.contains(".create_distributed_table("));
    let here = here.filter(|statement| !statement.contains(".create_reference_table("));
    let script: String = here.map(|statement| format!("{statement};\n")).collect();
    SourceStatements::read(&Source::new("ledger.sql", script))
}

const CITUS: &str = "roles = \"existing\"\ndistribution = \"citus\"";

/// With Citus somebody else makes the roles; its owner may make a schema.
fn roles_of_citus() -> SourceStatements {
    let roles = ["owner SUPERUSER", "app", "operator", "maintenance", "monitor"];
    let text: String = roles.iter().map(|role| format!("CREATE ROLE onlyonce_{role};\n")).collect();
    SourceStatements::read(&Source::new("roles.sql", text))
}

/// Files that no server takes, since they hold what is not understood, or takes in a transaction, and two whose end only a
/// server can tell: a query makes the columns, a loop makes the statements.
const LEFT_OUT: [&str; 7] = [
    "not-understood.sql",
    "other-tables.sql",
    "ours-not-understood.sql",
    "put-together.sql",
    "rebuilt-from-a-query.sql",
    "server-has-more-memory.sql",
    "server-writes-no-full-pages.sql",
];

#[tokio::test]
async fn the_model_is_what_the_server_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql");
    let adopted = read(&folder.join("adopted.sql"));
    let (ledger, in_partitions, spread) = (ledger(""), ledger("partitions = 3"), ledger(CITUS));
    let mut histories = vec![
        ("the emitted ledger".to_owned(), vec![ledger.clone()]),
        ("the same in partitions".to_owned(), vec![in_partitions.clone()]),
        ("the same for Citus".to_owned(), vec![roles_of_citus(), spread.clone()]),
    ];
    for kind in ["faults", "harmless", "replay"] {
        for case in cases(kind).iter().filter(|case| !LEFT_OUT.contains(&case.name())) {
            let file = read(&case.path);
            let history = match case.base() {
                Base::Ours(0) => vec![ledger.clone(), file],
                Base::Ours(_) => vec![in_partitions.clone(), file],
                Base::Spread => vec![roles_of_citus(), spread.clone(), file],
                Base::Alone => vec![file],
                Base::Adopted => vec![adopted.clone(), file],
            };
            histories.push((case.path.display().to_string(), history));
        }
    }
    let mut wrong = Vec::new();
    for major in majors() {
        let client = server(major).database().await.connect().await;
        for (name, history) in &histories {
            match differences(&client, history).await {
                Some(lines) if lines.is_empty() => {}
                Some(lines) => wrong.push(format!("{name} on {major}:\n{}", lines.join("\n"))),
                None => wrong.push(format!("{name} on {major}: the server refuses it")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Other people's migrations: `ONLYONCE_FOLDERS=/projects cargo test --test replay folders -- --nocapture` plays each
/// folder in /projects on a server, whatever tool it is for, and fails where the model and the server disagree. Names of
/// statements that were not read, or that the server refuses for want of an extension, come with it.
#[tokio::test]
async fn folders_that_are_asked_for() {
    let Some(projects) = std::env::var_os("ONLYONCE_FOLDERS") else { return };
    let mut paths: Vec<_> = fs::read_dir(projects).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut wrong = Vec::new();
    for project in paths {
        let Some(folder) = migrations_of(&project) else {
            wrong.push(format!("{}: no tool's folder", project.display()));
            continue;
        };
        let (layout, reason) = tell(&folder).unwrap();
        let mut history = Folder::read(layout, &folder, &entries(&folder).unwrap()).history();
        let database = server(majors()[0]).database().await;
        let (mut all, mut opaque, mut refused) = (0, 0, 0);
        // Most tools keep one connection; what one file sets for its session is not meant for the next.
        for file in &mut history {
            let client = database.connect().await;
            for statement in &mut file.statements {
                all += 1;
                if let Parsed::Opaque { reason } = &statement.parsed {
                    opaque += 1;
                    println!("  not read: {reason}: {}", statement.text.lines().next().unwrap_or_default());
                }
                if let Err(error) = client.batch_execute(&statement.text).await {
                    refused += 1;
                    println!(
                        "  refused: {}: {}",
                        support::describe(&error),
                        statement.text.lines().next().unwrap_or_default()
                    );
                    statement.parsed = Parsed::Read(Vec::new());
                }
            }
        }
        let actual = facts(&database.connect().await).await;
        let replayed = replay(&history);
        for note in &replayed.notes {
            println!(
                "  not told: {}: {}: {}",
                note.at.place(),
                note.reason,
                note.text.lines().next().unwrap_or_default()
            );
        }
        let differences = apart(&replayed, &actual);
        println!(
            "{}: {layout:?} ({reason}), {} files, {all} statements, {opaque} not read, {refused} refused, {} facts, {} differ",
            project.display(),
            history.len(),
            actual.len(),
            differences.len()
        );
        if !differences.is_empty() {
            wrong.push(format!("{}:\n{}", project.display(), differences.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The first folder at or below this one whose tool is known.
fn migrations_of(folder: &Path) -> Option<PathBuf> {
    if tell(folder).is_some() {
        return Some(folder.to_owned());
    }
    let mut below: Vec<_> = fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path()).collect();
    below.sort();
    below.iter().filter(|path| path.is_dir()).find_map(|path| migrations_of(path))
}
