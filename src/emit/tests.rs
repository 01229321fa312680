use std::path::Path;

use super::*;
use crate::manifest;

const MANIFEST: &str = r#"version = 1
[schema]
name = "ledger"
migrations = "m"
layout = "sqlx"

[action.send_reply]
summary = "Reply to a customer's message"
same_when = "it answers the same message"
key = ["inbound_message_id: text"]

[inbound.whatsapp]
event_id = ["$.id"]
retention = "30d"
"#;

fn load(root: &Path, text: &str) -> Manifest {
    let path = root.join("onlyonce.toml");
    std::fs::write(&path, text).unwrap();
    manifest::load(&path, "onlyonce.toml", &[]).unwrap()
}

fn planned(manifest: &Manifest) -> Result<Plan, Faults> {
    plan(manifest, &Ground::read(manifest)?, Timestamp::from_second(1_764_374_400).unwrap())
}

fn messages(faults: &Faults) -> Vec<&str> {
    faults.0.iter().map(|fault| fault.message.as_str()).collect()
}

/// What the vet says before a byte is written, of the ledger with one piece of its text replaced.
fn weakened(from: &str, to: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = load(folder.path(), MANIFEST);
    assert!(changes::LEDGER.contains(from), "the ledger holds {from}");
    let Statements { up, down } =
        changes::ledger_of(&changes::LEDGER.replace(from, to), &Emitted::of(&manifest)).unwrap();
    let migration = Migration {
        version: "1".to_owned(),
        name: FIRST.to_owned(),
        up: timed(up),
        down: timed(down),
        kind: Kind::Ledger,
    };
    let lock = Lock::first(Emitted::of(&manifest), versions::LATEST);
    let refused = finish(&manifest, &Ground::default(), &Folder::default(), vec![migration], lock);
    let front = "what would be emitted is refused: ";
    refused.err().map_or_else(Vec::new, |faults| {
        messages(&faults).iter().map(|message| message.strip_prefix(front).unwrap().to_owned()).collect()
    })
}

#[test]
fn the_vet_refuses_a_weakened_ledger() {
    assert_eq!(weakened("-- ", "-- "), Vec::<String>::new(), "the ledger as it is passes");
    let status = "CONSTRAINT actions_sound CHECK (ledger_schema.is_sound(idempotency_key, status,";
    let definer = "LANGUAGE plpgsql SECURITY DEFINER\nSET search_path = pg_catalog, ledger_schema, pg_temp\n";
    let grant = "GRANT SELECT ON ledger_schema.health TO ledger_schema_operator";
    let key = "  idempotency_key text COLLATE \"C\" NOT NULL,\n  status";
    for (from, to, rule) in [
        ("CREATE TABLE ledger_schema.actions (", "CREATE UNLOGGED TABLE ledger_schema.actions (", "ledger-unlogged"),
        ("CREATE INDEX actions_aside ON", "CREATE INDEX actions_aside OVER", ""),
        ("  CONSTRAINT actions_pkey PRIMARY KEY (action_type, idempotency_key),\n", "", "key-not-unique"),
        ("  CONSTRAINT inbound_events_pkey PRIMARY KEY (source, event_id),\n", "", "inbound-not-unique"),
        (key, "  idempotency_key text NOT NULL,\n  status", "key-collation"),
        (key, "  idempotency_key text COLLATE \"C\" NOT NULL DEFAULT gen_random_uuid(),\n  status", "key-generated"),
        (status, "CONSTRAINT actions_sound CHECK (ledger_schema.is_fine(idempotency_key, status,", "status-unchecked"),
        ("    RETURN status = 'pending' AND", "    RETURN status <> 'done' AND", "status-unchecked"),
        (
            "CREATE TRIGGER actions_guard_update BEFORE UPDATE ON",
            "CREATE TRIGGER x BEFORE INSERT ON",
            "transition-unguarded",
        ),
        ("ENABLE ALWAYS TRIGGER actions_guard_update", "DISABLE TRIGGER actions_guard_update", "transition-unguarded"),
        ("ENABLE ALWAYS TRIGGER actions_guard_delete", "ENABLE TRIGGER actions_guard_delete", "ledger-weakened"),
        (definer, "LANGUAGE plpgsql SECURITY DEFINER\n", "ledger-bypassable"),
        (grant, "GRANT INSERT ON ledger_schema.actions TO ledger_schema_app", "ledger-bypassable"),
        ("REVOKE ALL ON ALL ROUTINES IN SCHEMA ledger_schema FROM PUBLIC;\n", "", "ledger-bypassable"),
    ] {
        let told = weakened(from, to);
        assert!(told.iter().any(|message| message.starts_with(rule)), "{to}: {rule} is not in {told:?}");
    }
}

#[test]
fn a_change_is_judged_by_what_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = load(folder.path(), MANIFEST);
    let old = changes::LEDGER
        .replace("CREATE TABLE ledger_schema.actions (", "CREATE UNLOGGED TABLE ledger_schema.actions (");
    let old = changes::ledger_of(&old, &Emitted::of(&manifest)).unwrap().up;
    let earlier = [SourceStatements::read(&Source::new("old.sql", write::bare(&old)))];
    let judge = |statement: &str| {
        let up = timed(vec![statement.to_owned()]);
        let migration = Migration { version: "2".into(), name: "x".into(), up, down: Vec::new(), kind: Kind::Ledger };
        vet::ledger(&manifest, &earlier, &[migration])
    };
    assert_eq!(judge("UPDATE ledger.action_types SET max_attempts = 3"), Ok(()));
    assert!(judge("GRANT INSERT ON ledger.actions TO ledger_app").is_err());
    assert!(judge("ALTER TABLE ledger.actions DISABLE TRIGGER actions_guard_update").is_err());
}

#[test]
fn the_schema_that_is_expected_is_the_one_that_was_emitted() {
    for layout in crate::migration::layout::ALL {
        let folder = tempfile::tempdir().unwrap();
        let manifest = load(folder.path(), &MANIFEST.replace("\"sqlx\"", &format!("\"{}\"", layout.name())));
        crate::files::write_all(&planned(&manifest).unwrap().files).unwrap();
        let ground = Ground::read(&manifest).unwrap();
        let untouched = expected(&manifest, &ground).unwrap().unwrap();
        assert_eq!(untouched.tables.len(), 10, "{}", layout.name());
        assert_eq!(planned(&manifest).unwrap(), Plan::default(), "nothing differs, so nothing is written");
        let edited = ground.lock.as_ref().unwrap().files.keys().next().unwrap();
        std::fs::write(folder.path().join(edited), "SELECT 1;\n").unwrap();
        assert!(untouched == expected(&manifest, &ground).unwrap().unwrap(), "{}", layout.name());
    }
}

#[test]
fn a_change_follows_what_is_there_and_is_undone_in_reverse() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("m")).unwrap();
    std::fs::write(folder.path().join("m/0007_theirs.sql"), "CREATE TABLE t (a int);\n").unwrap();
    let manifest = load(folder.path(), MANIFEST);
    let first = planned(&manifest).unwrap();
    crate::files::write_all(&first.files).unwrap();
    assert!(first.files[0].path.ends_with("m/0008_onlyonce_ledger.sql"), "{:?}", first.files[0].path);
    let later =
        MANIFEST.replace("retention = \"30d\"", "retention = \"40d\"").replace("text\"]", "text\"]\nkeep = \"90d\"");
    let plan = planned(&load(folder.path(), &later)).unwrap();
    let paths: Vec<_> = plan.files.iter().map(|file| file.path.strip_prefix(folder.path()).unwrap()).collect();
    assert_eq!(paths, [Path::new("m/0009_onlyonce_changes.sql"), Path::new("onlyonce.lock")]);
    let [migration] = plan.migrations.as_slice() else { panic!("one migration") };
    let words = |statements: &[String]| -> Vec<String> {
        statements.iter().map(|one| one.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect()
    };
    let (action, inbound) = ("UPDATE ledger.action_types", "UPDATE ledger.inbound_sources");
    assert_eq!(words(&migration.up), ["SET LOCAL", "SET ROLE", action, inbound, "RESET ROLE"]);
    assert_eq!(words(&migration.down), ["SET LOCAL", "SET ROLE", inbound, action, "RESET ROLE"]);
    assert!(migration.up[2].contains("keep = interval '2160 hours'") && migration.down[3].contains("keep = NULL"));
}

#[test]
fn each_partition_is_a_plain_statement_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let text = MANIFEST.replace("layout = \"sqlx\"", "layout = \"sqlx\"\npartitions = 2");
    let migration = planned(&load(folder.path(), &text)).unwrap().migrations.remove(0);
    let made = |words: &str| -> Vec<&String> { migration.up.iter().filter(|one| one.contains(words)).collect() };
    let parts = made("PARTITION OF");
    let stored =
        "WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)";
    for (part, remainder) in parts.iter().zip(0..) {
        let wanted = format!(
            "CREATE TABLE ledger.actions_{remainder} PARTITION OF ledger.actions\n  \
             FOR VALUES WITH (MODULUS 2, REMAINDER {remainder})\n  {stored}"
        );
        assert_eq!(**part, wanted);
    }
    assert_eq!(parts.len(), 2);
    assert_eq!(made("PARTITION BY HASH (idempotency_key)").len(), 1);
    assert_eq!(made("ALTER TABLE ledger.actions_1 ENABLE ALWAYS TRIGGER").len(), 5);
}

#[test]
fn what_cannot_be_emitted_is_refused_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = |line: &str| {
        let text = MANIFEST.replace("layout = \"sqlx\"\n", &format!("layout = \"sqlx\"\n{line}\n"));
        let faults = planned(&load(folder.path(), &text)).unwrap_err();
        let place = faults.0[0].place.as_ref().unwrap();
        (
            faults.0[0].message.clone(),
            place.source.slice(place.source.line(place.source.position(place.span.start).line)).to_owned(),
        )
    };
    assert_eq!(
        refusal("distribution = \"citus\""),
        (
            "the roles of a ledger that Citus distributes cannot be made in its migration".to_owned(),
            "distribution = \"citus\"".to_owned()
        )
    );
    let (message, _) = refusal("[schema.adopt]\nactions = \"public.a\"\nkey = \"k\"\nstatus = \"s\"");
    assert_eq!(message, "the ledger is the team's own, so there is nothing to emit");
}

#[test]
fn emitted_files_that_the_lock_does_not_know_are_never_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = load(folder.path(), MANIFEST);
    let lock = folder.path().join("onlyonce.lock");
    crate::files::write_all(&planned(&manifest).unwrap().files).unwrap();
    let first = std::fs::read(&lock).unwrap();
    let later = load(folder.path(), &MANIFEST.replace("30d", "40d"));
    crate::files::write_all(&planned(&later).unwrap().files).unwrap();
    std::fs::write(&lock, first).unwrap();
    let faults = planned(&later).unwrap_err();
    let name = "m/20251129000001_onlyonce_change_whatsapp";
    let unnamed = ["down", "up"].map(|way| format!("{name}.{way}.sql was emitted, and onlyonce.lock does not name it"));
    assert_eq!(messages(&faults), unnamed);
    std::fs::remove_file(&lock).unwrap();
    let faults = planned(&manifest).unwrap_err();
    assert_eq!(messages(&faults).len(), 4);
    assert!(messages(&faults)[0].ends_with("_ledger.down.sql was emitted, and onlyonce.lock is gone"));
    let other = MANIFEST.replace("\"ledger\"", "\"edger\"");
    assert!(planned(&load(folder.path(), &other)).is_ok(), "another ledger may stand beside it");
}
