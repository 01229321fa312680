//! What an upgrade makes of a database, and what its way back leaves.

use crate::chain::{ROLES, Script, fresh, upgrades};
use crate::support::{Database, SUPERUSER, Server, majors};
use crate::{catalog, support};

/// The roles that somebody else made.
const GIVEN: &str = "CREATE ROLE onlyonce_owner; CREATE ROLE onlyonce_app; CREATE ROLE onlyonce_operator;
    CREATE ROLE onlyonce_maintenance; CREATE ROLE onlyonce_monitor; GRANT onlyonce_owner TO team;";

/// Runs the scripts of one direction as this user.
async fn apply<'a>(database: &Database, user: &str, scripts: impl Iterator<Item = (&'a String, &'a String)>) {
    let client = database.connect_as(user).await;
    for (name, script) in scripts {
        if let Err(error) = client.batch_execute(script).await {
            panic!("{name}: {}", support::describe(&error));
        }
    }
}

async fn up(database: &Database, user: &str, scripts: &[Script]) {
    apply(database, user, scripts.iter().map(|one| (&one.name, &one.up))).await;
}

async fn down(database: &Database, user: &str, scripts: &[Script]) {
    apply(database, user, scripts.iter().rev().map(|one| (&one.name, &one.down))).await;
}

async fn lines(database: &Database) -> Vec<String> {
    let mut lines = catalog::lines(&database.connect().await, "onlyonce").await;
    lines.sort();
    lines
}

/// Lines of one and not of the other: whole catalogs are too long to be shown.
fn demand_alike(seen: &[String], wanted: &[String], when: &str) {
    let missing: Vec<&String> = wanted.iter().filter(|line| !seen.contains(line)).collect();
    let extra: Vec<&String> = seen.iter().filter(|line| !wanted.contains(line)).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{when}\nmissing: {missing:#?}\nextra: {extra:#?}");
}

#[tokio::test]
async fn an_upgraded_database_is_a_new_one_and_the_way_back_is_whole() {
    for major in majors() {
        for roles in ROLES {
            // Roles belong to the whole server.
            let server = Server::start(major, &["fsync=off"]);
            let user = if roles == "create" { SUPERUSER } else { "team" };
            let admin = server.database().await;
            if roles != "create" {
                admin.run("CREATE ROLE team LOGIN NOINHERIT").await;
            }
            if roles == "existing" {
                admin.run(GIVEN).await;
            }
            let owned = async || {
                let database = server.database().await;
                database.run(&format!("ALTER DATABASE {} OWNER TO {user}", database.name)).await;
                database
            };
            let (old, new, upgraded) = (owned().await, owned().await, owned().await);
            let empty = lines(&upgraded).await;
            let first = fresh(roles, 1);
            up(&old, user, &first).await;
            up(&new, user, &fresh(roles, onlyonce::emit::versions::LATEST)).await;
            up(&upgraded, user, &first).await;
            let steps = upgrades(roles);
            let (old, new) = (lines(&old).await, lines(&new).await);
            for turn in ["for the first time", "again"] {
                let when = format!("PostgreSQL {major}, roles {roles}, {turn}");
                up(&upgraded, user, &steps).await;
                demand_alike(&lines(&upgraded).await, &new, &format!("{when}, up"));
                down(&upgraded, user, &steps).await;
                demand_alike(&lines(&upgraded).await, &old, &format!("{when}, down"));
            }
            down(&upgraded, user, &first).await;
            demand_alike(&lines(&upgraded).await, &empty, "the first migration's way back");
        }
    }
}
