//! The ledger comes and goes, whoever migrates.

use onlyonce::manifest::Roles;
use serde_json::json;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::ledger::{emitted, refusal, reserve, script, try_reserve};
use crate::support::{Database, Server, majors};

/// Everything of the database that is not the system's own, and what its roles hold there.
const CATALOG: &str = "
  SELECT 'schema ' || nspname AS thing FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'
  UNION ALL SELECT 'relation ' || relname || relacl::text FROM pg_class WHERE relnamespace::regnamespace::text !~ '^pg_|^information_'
  UNION ALL SELECT 'routine ' || oid::regprocedure FROM pg_proc WHERE pronamespace::regnamespace::text !~ '^pg_|^information_'
  UNION ALL SELECT 'type ' || typname FROM pg_type WHERE typnamespace::regnamespace::text !~ '^pg_|^information_'
  UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger UNION ALL SELECT 'setting ' || setconfig::text FROM pg_db_role_setting
  UNION ALL SELECT 'default right ' || defaclacl::text FROM pg_default_acl
  UNION ALL SELECT 'held by a role: ' || classid::regclass FROM pg_shdepend
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY 1";

async fn catalog(client: &Client) -> Vec<String> {
    client
        .query(CATALOG, &[])
        .await
        .unwrap()
        .iter()
        .map(|row| row.get::<_, Option<String>>(0).unwrap_or_default())
        .collect()
}

async fn apply(client: &Client, sql: &str) {
    if let Err(error) = client.batch_execute(sql).await {
        panic!("{}", crate::support::describe(&error));
    }
}

/// Up, down and up again as this user; nothing is left in between, and the session is still the user's.
async fn there_and_back(database: &Database, user: &str, roles: Roles) {
    let (up, down) = script(&emitted(roles));
    let client = database.connect_as(user).await;
    let before = catalog(&client).await;
    for _ in 0..2 {
        apply(&client, &up).await;
        let now: String = client.query_one("SELECT current_user::text", &[]).await.unwrap().get(0);
        assert_eq!(now, user, "the migration tool goes on in this session");
        assert_ne!(catalog(&client).await, before);
        apply(&client, &down).await;
        assert_eq!(catalog(&client).await, before);
    }
    apply(&client, &up).await;
}

async fn owned_by(server: &Server, owner: &str) -> Database {
    let database = server.database().await;
    database.run(&format!("ALTER DATABASE {} OWNER TO {owner}", database.name)).await;
    database
}

/// A worker reserves, and can do nothing else.
async fn in_use(database: &Database) {
    let worker = database.connect_as("worker").await;
    assert_eq!(reserve(&worker, "send", "a").await, "go");
    assert_eq!(refusal(&worker, "DELETE FROM onlyonce.actions").await, "42501");
}

#[tokio::test]
async fn as_superuser_in_two_databases_of_one_server() {
    for major in majors() {
        let server = Server::start(major, &["fsync=off"]);
        for _ in 0..2 {
            let database = server.database().await;
            there_and_back(&database, "postgres", Roles::Create).await;
            database.run("DROP ROLE IF EXISTS worker; CREATE ROLE worker LOGIN IN ROLE onlyonce_app").await;
            in_use(&database).await;
        }
    }
}

#[tokio::test]
async fn as_an_owner_who_may_create_roles() {
    for major in majors() {
        for inherit in ["INHERIT", "NOINHERIT"] {
            let server = Server::start(major, &["fsync=off"]);
            let first = server.database().await;
            first.run(&format!("CREATE ROLE team LOGIN CREATEROLE {inherit}")).await;
            for _ in 0..2 {
                let database = owned_by(&server, "team").await;
                there_and_back(&database, "team", Roles::Create).await;
                let team = database.connect_as("team").await;
                let worker = "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'worker') THEN
                    CREATE ROLE worker LOGIN; GRANT onlyonce_app TO worker; END IF; END $$";
                apply(&team, worker).await;
                in_use(&database).await;
            }
        }
    }
}

#[tokio::test]
async fn an_owner_who_may_not_create_roles_is_told_of_the_other_ways() {
    for major in majors() {
        let server = Server::start(major, &["fsync=off"]);
        server.database().await.run("CREATE ROLE team LOGIN").await;
        let team = owned_by(&server, "team").await.connect_as("team").await;
        let error = team.batch_execute(&script(&emitted(Roles::Create)).0).await.unwrap_err();
        let said = error.as_db_error().unwrap();
        assert_eq!(said.code().code(), "42501");
        let hint = said.hint().unwrap_or_default();
        assert!(hint.contains("existing") && hint.contains("none"), "{hint:?}");
    }
}

#[tokio::test]
async fn as_an_owner_who_is_given_the_roles() {
    for major in majors() {
        for inherit in ["INHERIT", "NOINHERIT"] {
            let server = Server::start(major, &["fsync=off"]);
            let admin = server.database().await;
            let roles = "CREATE ROLE onlyonce_owner; CREATE ROLE onlyonce_app; CREATE ROLE onlyonce_operator;
                CREATE ROLE onlyonce_maintenance; CREATE ROLE onlyonce_monitor; GRANT onlyonce_owner TO team;
                CREATE ROLE worker LOGIN IN ROLE onlyonce_app";
            admin.run(&format!("CREATE ROLE team LOGIN {inherit}; {roles}")).await;
            let database = owned_by(&server, "team").await;
            there_and_back(&database, "team", Roles::Existing).await;
            in_use(&database).await;
        }
    }
}

#[tokio::test]
async fn as_an_owner_without_any_roles() {
    for major in majors() {
        let server = Server::start(major, &["fsync=off"]);
        server.database().await.run("CREATE ROLE team LOGIN").await;
        let database = owned_by(&server, "team").await;
        there_and_back(&database, "team", Roles::None).await;
        let team = database.connect_as("team").await;
        assert_eq!(reserve(&team, "kept", "a").await, "go");
        // The owner's own slips are refused too.
        for (statement, code) in [
            ("DELETE FROM onlyonce.actions", "OO004"),
            ("TRUNCATE onlyonce.actions", "OO004"),
            ("UPDATE onlyonce.actions SET payload = NULL, stripped_at = now()", "OO004"),
        ] {
            assert_eq!(refusal(&team, statement).await, code, "{statement}");
        }
        assert_eq!(refusal(&team, "SELECT onlyonce.confirm('kept', 'a', 'm', 'e')").await, "nothing");
        let imported = "SELECT onlyonce.import('kept', 'b', '2026-01-01', 'e', 'p'), onlyonce.erase('kept', 'a', 'p')";
        assert_eq!(refusal(&team, imported).await, "nothing");
        let purged = team.query_one("SELECT actions_deleted FROM onlyonce.purge()", &[]).await.unwrap();
        assert_eq!(purged.get::<_, i32>(0), 1, "the imported one is old");
        assert!(!team.query("SELECT FROM onlyonce.health", &[]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_read_only_server_refuses_to_reserve() {
    for major in majors() {
        let server = Server::start(major, &["fsync=off"]);
        let database = server.database().await;
        database.run(&script(&emitted(Roles::Create)).0).await;
        let client = database.connect().await;
        apply(&client, "SET default_transaction_read_only = on").await;
        let refused = try_reserve(&client, "send", "a", Uuid::new_v4(), &json!({})).await;
        assert_eq!(refused.map(|answer| answer.verdict), Err("25006".to_owned()));
    }
}
