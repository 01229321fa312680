//! A Citus of a coordinator and two workers. `ONLYONCE_CITUS=15` runs every scenario there, and only there, on the
//! packaged PostgreSQL of that major into which Citus was installed. Never part of the usual run.

use onlyonce::manifest::diff::Emitted;
use onlyonce::manifest::{Distribution, Roles};
use tokio::sync::{Mutex, OnceCell};

use super::{Ledger, emitted, script};
use crate::support::{Database, Server};

/// One node's settings besides its address.
const SETTINGS: [&str; 9] = [
    "fsync=off",
    "shared_preload_libraries=citus",
    "citus.node_conninfo=sslmode=disable",
    "citus.enable_statistics_collection=off",
    "citus.shard_count=4",
    "max_prepared_transactions=200",
    "max_connections=1000",
    "max_worker_processes=400",
    "wal_level=logical",
];

const ROLES: [&str; 5] = ["owner", "app", "operator", "maintenance", "monitor"];

/// Makes the roles, which the first database has made, known to Citus in another one.
const KNOWN: &str = "CREATE SCHEMA known; CREATE TABLE known.first (a int); CREATE TABLE known.second (a int);
  GRANT SELECT ON known.first TO onlyonce_app, onlyonce_operator, onlyonce_maintenance, onlyonce_monitor;
  GRANT USAGE ON SCHEMA known TO onlyonce_owner; ALTER TABLE known.second OWNER TO onlyonce_owner;
  SELECT create_reference_table('known.first'), create_reference_table('known.second');
  DROP SCHEMA known CASCADE";

/// A coordinator and two workers, each at an address of its own.
pub(crate) struct Cluster {
    coordinator: Server,
    pub(crate) workers: [Server; 2],
}

static CLUSTER: OnceCell<Option<Cluster>> = OnceCell::const_new();

/// This process's address of a node: loopback has many.
pub(crate) fn address(node: u32) -> String {
    let process = std::process::id();
    format!("127.{}.{}.{}", 100 + (process >> 8) % 100, process & 255, node + 1)
}

fn start(major: u32, node: u32) -> Server {
    let listen = format!("listen_addresses={}", address(node));
    let settings: Vec<&str> = SETTINGS.into_iter().chain([listen.as_str()]).collect();
    Server::start(major, &settings)
}

pub(crate) async fn cluster() -> Option<&'static Cluster> {
    let started = async {
        let major = std::env::var("ONLYONCE_CITUS").ok()?.parse().expect("ONLYONCE_CITUS is a major");
        let cluster = Cluster { coordinator: start(major, 0), workers: [start(major, 1), start(major, 2)] };
        // The first database makes the roles on every node, the owner as one that nodes log in as.
        let roles = ROLES.map(|role| format!("CREATE ROLE onlyonce_{role} {};", login(role)));
        cluster.database().await.run(&roles.concat()).await;
        Some(cluster)
    };
    CLUSTER.get_or_init(|| started).await.as_ref()
}

fn login(role: &str) -> &'static str {
    if role == "owner" { "LOGIN" } else { "NOLOGIN" }
}

impl Cluster {
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Server> {
        std::iter::once(&self.coordinator).chain(&self.workers)
    }

    /// A database of this name on every node, and the nodes known to each other; the coordinator's.
    async fn database(&self) -> Database {
        let database = self.coordinator.database().await;
        for worker in &self.workers {
            let beside = worker.database().await;
            beside.run(&format!("CREATE DATABASE {}", database.name)).await;
        }
        for node in self.nodes() {
            node.holding(&database).run("CREATE EXTENSION citus").await;
        }
        let join = format!(
            "SELECT citus_set_coordinator_host('{}', 5432);
             SELECT citus_add_node('{}', 5432), citus_add_node('{}', 5432)",
            address(0),
            address(1),
            address(2)
        );
        database.run(&join).await;
        database
    }
}

/// What it is made from.
pub(crate) fn of_citus() -> Emitted {
    Emitted { distribution: Distribution::Citus, ..emitted(Roles::Existing) }
}

/// A new ledger on Citus, when one is wanted.
pub(crate) async fn ledger() -> Option<Ledger> {
    let cluster = cluster().await?;
    // Roles are the whole cluster's: two databases that make them known at once get in each other's way.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
    let _turn = ONE_AT_A_TIME.lock().await;
    let database = cluster.database().await;
    database.run(&format!("{KNOWN}; GRANT CREATE ON DATABASE {} TO onlyonce_owner", database.name)).await;
    Some(Ledger::within(database, &script(&of_citus()).0).await)
}
