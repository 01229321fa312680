use super::*;
use crate::schema::{Demand, Schema};

fn played(files: &[&str]) -> Replayed {
    let read = |(index, text): (usize, &&str)| SourceStatements::read(&Source::new(format!("{index:04}.sql"), *text));
    replay(&files.iter().enumerate().map(read).collect::<Vec<_>>())
}

fn schema(sql: &str) -> Schema {
    let replayed = played(&[sql]);
    assert_eq!(replayed.notes, [], "not read");
    replayed.schema
}

fn table<'s>(schema: &'s Schema, name: &str) -> &'s Table {
    schema.tables.get(&Name::parse(name)).unwrap_or_else(|| panic!("no table {name}: {:?}", schema.tables.keys()))
}

fn names<T>(map: &BTreeMap<String, T>) -> Vec<&str> {
    map.keys().map(String::as_str).collect()
}

const ACTIONS: &str = "CREATE TABLE actions (id bigserial PRIMARY KEY, tenant text NOT NULL, key text NOT NULL COLLATE \"C\",
    status text CHECK (status IN ('a', 'b')), at timestamptz DEFAULT now(), UNIQUE (tenant, key), CHECK (tenant <> key));";

#[test]
fn constraints_get_the_names_that_postgres_gives() {
    let schema = schema(ACTIONS);
    let actions = table(&schema, "actions");
    assert_eq!(
        names(&actions.constraints),
        ["actions_check", "actions_pkey", "actions_status_check", "actions_tenant_key_key"]
    );
    assert_eq!(actions.columns["at"].type_name, "timestamp with time zone");
    assert_eq!(actions.columns["key"].collation.as_deref(), Some("C"));
    assert!(actions.refuses_null("id") && actions.refuses_null("key") && !actions.refuses_null("status"));
}

#[test]
fn dropping_a_column_takes_what_needs_it() {
    let sql =
        format!("{ACTIONS} CREATE INDEX i ON actions (at) WHERE tenant = 'x'; ALTER TABLE actions DROP COLUMN tenant;");
    let replayed = played(&[&sql]);
    let actions = table(&replayed.schema, "actions");
    assert_eq!(names(&actions.constraints), ["actions_pkey", "actions_status_check"]);
    assert!(actions.indexes.is_empty());
    assert_eq!(replayed.losses.len(), 4);
}

#[test]
fn renames_keep_names_and_definitions_follow() {
    let sql = format!(
        "{ACTIONS} ALTER TABLE actions RENAME TO acts; ALTER TABLE acts RENAME COLUMN key TO idem_key; \
         ALTER TABLE acts RENAME CONSTRAINT actions_pkey TO pk; ALTER INDEX actions_tenant_key_key RENAME TO uq;"
    );
    let schema = schema(&sql);
    let acts = table(&schema, "acts");
    assert_eq!(names(&acts.constraints), ["actions_check", "actions_status_check", "pk", "uq"]);
    assert_eq!(acts.constraints["actions_check"].demand, Demand::Check("tenant <> idem_key".to_owned()));
}

#[test]
fn a_second_definition_under_if_not_exists_changes_nothing() {
    let again = "CREATE TABLE IF NOT EXISTS actions (key text PRIMARY KEY); CREATE UNIQUE INDEX i ON actions (key);
                 CREATE UNIQUE INDEX IF NOT EXISTS i ON actions (tenant);";
    let replayed = played(&[ACTIONS, again]);
    let actions = table(&replayed.schema, "actions");
    assert_eq!(actions.primary_key(), ["id"]);
    assert_eq!(actions.indexes["i"].columns[0].key, "key");
    assert_eq!(replayed.losses.iter().filter(|loss| loss.lost == Lost::Ignored).count(), 2);
}

#[test]
fn an_index_is_dropped_only_where_no_constraint_owns_it() {
    let sql = format!(
        "{ACTIONS} CREATE UNIQUE INDEX i ON actions (key); DROP INDEX CONCURRENTLY i; DROP INDEX actions_tenant_key_key;"
    );
    let replayed = played(&[&sql]);
    let actions = table(&replayed.schema, "actions");
    assert!(actions.indexes.is_empty());
    assert!(actions.constraints.contains_key("actions_tenant_key_key"));
    assert!(matches!(&replayed.losses[..], [Loss { lost: Lost::Index(name, _), .. }] if name == "i"));
}

#[test]
fn using_index_takes_the_name_and_refuses_partial_ones() {
    let sql = format!(
        "{ACTIONS} CREATE UNIQUE INDEX i ON actions (key); ALTER TABLE actions ADD CONSTRAINT uq UNIQUE USING INDEX i;
         CREATE UNIQUE INDEX j ON actions (key) WHERE at IS NULL; ALTER TABLE actions ADD CONSTRAINT uq2 UNIQUE USING INDEX j;"
    );
    let schema = schema(&sql);
    let actions = table(&schema, "actions");
    assert_eq!(names(&actions.indexes), ["j"]);
    assert!(actions.constraints.contains_key("uq") && !actions.constraints.contains_key("uq2"));
}

#[test]
fn like_copies_what_it_is_told_to() {
    let schema = schema(&format!(
        "{ACTIONS} CREATE TABLE a (LIKE actions); CREATE TABLE b (LIKE actions INCLUDING ALL, extra int);"
    ));
    assert!(table(&schema, "a").constraints.is_empty() && table(&schema, "a").refuses_null("id"));
    assert_eq!(
        names(&table(&schema, "b").constraints),
        ["actions_check", "actions_status_check", "b_pkey", "b_tenant_key_key"]
    );
    assert_eq!(table(&schema, "a").columns["at"].default, None);
}

#[test]
fn not_null_by_any_name_is_the_columns_own() {
    let sql = "CREATE TABLE t (k text, l text, CONSTRAINT nn NOT NULL k); ALTER TABLE t ADD CONSTRAINT nl NOT NULL l;
               ALTER TABLE t DROP CONSTRAINT nn;";
    let schema = schema(sql);
    assert!(!table(&schema, "t").refuses_null("k") && table(&schema, "t").refuses_null("l"));
    let kept = format!("{ACTIONS} ALTER TABLE actions DROP CONSTRAINT actions_pkey;");
    assert!(table(&played(&[&kept]).schema, "actions").refuses_null("id"));
}

#[test]
fn changing_a_type_loses_the_collation() {
    let replayed = played(&[ACTIONS, "ALTER TABLE actions ALTER key TYPE varchar(80);"]);
    assert_eq!(table(&replayed.schema, "actions").columns["key"].collation, None);
    assert!(matches!(&replayed.losses[..], [Loss { lost: Lost::Collation(column, _), .. }] if column == "key"));
}

#[test]
fn triggers_remember_how_they_fire() {
    let sql = format!(
        "{ACTIONS} CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
         CREATE TRIGGER t BEFORE UPDATE OR DELETE ON actions FOR EACH ROW EXECUTE FUNCTION g();
         ALTER TABLE actions ENABLE ALWAYS TRIGGER t; ALTER TABLE actions DISABLE TRIGGER ALL;"
    );
    let replayed = played(&[&sql]);
    let trigger = &table(&replayed.schema, "actions").triggers["t"];
    assert_eq!(trigger.enabled, crate::sql::ddl::Enabled::Never);
    assert!(matches!(&replayed.losses[..], [Loss { lost: Lost::Fires(..), .. }]));
    let cascade = played(&[&sql, "DROP FUNCTION g() CASCADE;"]);
    assert!(table(&cascade.schema, "actions").triggers.is_empty());
}

#[test]
fn privileges_are_kept_one_by_one() {
    let sql = "CREATE TABLE s.t (k text); CREATE FUNCTION s.f(a int, OUT b text) LANGUAGE sql AS 'SELECT 1';
               REVOKE ALL ON ALL FUNCTIONS IN SCHEMA s FROM PUBLIC; GRANT EXECUTE ON FUNCTION s.f(int) TO app;
               GRANT ALL ON s.t TO app; REVOKE DELETE, TRUNCATE ON TABLE s.t FROM app; GRANT USAGE ON SCHEMA s TO app;";
    let schema = schema(sql);
    let of = |kind: ObjectKind| -> Vec<String> {
        schema
            .grants
            .keys()
            .filter(|one| one.kind == kind)
            .map(|one| format!("{} {}", one.role, one.privilege))
            .collect()
    };
    assert_eq!(of(ObjectKind::Routine), ["app execute"]);
    assert_eq!(of(ObjectKind::Table).len(), 6);
    assert_eq!(of(ObjectKind::Schema), ["app usage"]);
}

#[test]
fn names_without_a_schema_follow_the_search_path_of_their_file() {
    let replayed = played(&["SET search_path = app, public; CREATE TABLE t (k text);", "CREATE TABLE u (k text);"]);
    let all: Vec<_> = replayed.schema.tables.keys().map(ToString::to_string).collect();
    assert_eq!(all, ["app.t", "public.u"]);
}

#[test]
fn what_is_not_understood_is_kept_with_its_place() {
    let replayed = played(&[
        "CREATE TABLE t (k text);\nALTER TABLE t FROBNICATE;",
        "DO $$ BEGIN EXECUTE format('DROP TABLE %I', x); END $$;",
    ]);
    let places: Vec<_> =
        replayed.notes.iter().map(|note| (note.at.place(), note.doubt == Doubt::PutTogether)).collect();
    assert_eq!(places, [("0000.sql:2".to_owned(), false), ("0001.sql:1".to_owned(), true)]);
}

#[test]
fn equal_means_equal_to_postgres() {
    let apart = "CREATE TABLE t (k text);\n ALTER TABLE t ADD PRIMARY KEY (k); ALTER TABLE t ALTER k SET DEFAULT 'x';";
    assert_eq!(schema("CREATE TABLE public.t (\"k\" TEXT DEFAULT 'x' PRIMARY KEY);"), schema(apart));
    assert_ne!(schema("CREATE TABLE t (k text);"), schema("CREATE TABLE t (k text NOT NULL);"));
}

/// Whatever runs a routine later tells of what it defines, once; what is not there any more tells of nothing.
#[test]
fn what_is_set_up_to_run_later_is_told() {
    let body = "RETURNS %s LANGUAGE plpgsql AS $$ BEGIN ALTER TABLE x RENAME TO y; RETURN NULL; END $$";
    let f = format!("CREATE FUNCTION f() {};", body.replace("%s", "int"));
    let t = format!("CREATE FUNCTION t() {};", body.replace("%s", "trigger"));
    let wrapper = "CREATE FUNCTION w() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT f(); END;";
    for (set_up, undone) in [
        ("CREATE TABLE a (id int DEFAULT f());", "ALTER TABLE a ALTER id DROP DEFAULT;"),
        ("CREATE TABLE a (id int DEFAULT (w() + 1));", "DROP TABLE a;"),
        ("CREATE VIEW v AS SELECT w();", "DROP VIEW v;"),
        ("CREATE EVENT TRIGGER e ON ddl_command_end WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION t();", {
            "DROP EVENT TRIGGER IF EXISTS e;"
        }),
        ("CREATE TABLE a (id int); CREATE TRIGGER g BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION t();", {
            "ALTER TABLE a DISABLE TRIGGER g;"
        }),
        ("CREATE TABLE a (id int); CREATE RULE r AS ON INSERT TO a DO ALSO SELECT f();", "DROP RULE r ON a;"),
    ] {
        let told = |more: &str| {
            let source = Source::new("1.sql", format!("{f}{t}{wrapper}{set_up}{more}"));
            replay(&[SourceStatements::read(&source)]).notes
        };
        let notes = told("");
        assert_eq!(notes.len(), 1, "{set_up} {notes:?}");
        assert_eq!((notes[0].doubt, &*notes[0].text), (Doubt::Deferred, "public.x"), "{set_up}");
        assert_eq!(told(undone), [], "{undone}");
    }
}

/// A body that is not understood is kept once, however often it is called.
#[test]
fn calls_of_what_is_not_read_copy_no_text() {
    let body = format!("FROB; ALTER TABLE a RENAME TO b; {}", "-- and so on\n".repeat(1000));
    let text = format!("CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {body} END $$;");
    let text = text + &"SELECT f();".repeat(200);
    let replayed = replay(&[SourceStatements::read(&Source::new("1.sql", text))]);
    let routine = replayed.schema.routines.values().next().unwrap();
    assert_eq!(replayed.notes.len(), 200);
    assert!(replayed.notes.iter().all(|note| std::sync::Arc::ptr_eq(&note.text, &routine.definition.body)));
}
