//! Throw-away PostgreSQL servers: on a unix socket in a temporary folder, as a user who is not root, gone
//! with the test process even when it is killed.

#![allow(dead_code, unreachable_pub, reason = "each test program uses its part")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

pub mod pooler;

/// The superuser of every server here.
pub const SUPERUSER: &str = "postgres";

/// Runs postgres until standard input ends, which is when the test process does, whatever ended it. A `crash`
/// line stops it without a checkpoint and starts it again, as after a power cut.
const KEEPER: &str = r#"
start() { "$@" >>"$PLACE/log" 2>&1 & server=$!; }
start "$@"
while read -r line; do
  case $line in
    crash) kill -QUIT "$server"; wait "$server"; start "$@" ;;
    stop) kill -QUIT "$server"; wait "$server" ;;
    start) start "$@" ;;
  esac
done
kill -QUIT "$server"; wait "$server"; rm -rf "$PLACE"
"#;

/// The majors to test: `ONLYONCE_POSTGRES` (`14,15`), or 15.
pub fn majors() -> Vec<u32> {
    let wanted = std::env::var("ONLYONCE_POSTGRES").unwrap_or_else(|_| "15".to_owned());
    wanted.split(',').map(|major| major.trim().parse().expect("ONLYONCE_POSTGRES is a list of majors")).collect()
}

/// The server of this test process, started at the first call.
pub fn server(major: u32) -> &'static Server {
    static SERVERS: LazyLock<Mutex<BTreeMap<u32, &'static Server>>> = LazyLock::new(Mutex::default);
    let mut servers = SERVERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    servers.entry(major).or_insert_with(|| Box::leak(Box::new(Server::start(major, &["fsync=off"]))))
}

/// A running server.
pub struct Server {
    /// Its major version.
    pub major: u32,
    /// Its folder: data, socket and log.
    pub place: PathBuf,
    keeper: Mutex<Child>,
}

impl Server {
    /// Starts one with these settings on top of the defaults.
    pub fn start(major: u32, settings: &[&str]) -> Server {
        Server::start_in(major, settings, |_| {})
    }

    /// Starts a standby of this server, which has to keep its first WAL (`wal_keep_size`): both begin with the same
    /// fresh data folder, so nothing has to be copied from a running server.
    pub fn standby(primary: &Server, settings: &[&str]) -> Server {
        Server::start_in(primary.major, settings, |data| {
            let touched = as_nobody(Path::new("touch")).arg(data.join("standby.signal")).status().unwrap();
            assert!(touched.success());
            // Not on the command line: a test takes it away with ALTER SYSTEM.
            let mut settings = fs::OpenOptions::new().append(true).open(data.join("postgresql.auto.conf")).unwrap();
            let place = primary.place.display();
            writeln!(settings, "primary_conninfo = 'host={place} user={SUPERUSER}'").unwrap();
        })
    }

    fn start_in(major: u32, settings: &[&str], prepare: impl Fn(&Path)) -> Server {
        let programs = programs(major);
        let place = tempfile::Builder::new().prefix("onlyonce-pg-").tempdir().unwrap().keep();
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let data = place.join("data");
        let copied =
            as_nobody(Path::new("cp")).arg("-a").arg(fresh_data(major, &programs)).arg(&data).status().unwrap();
        assert!(copied.success(), "cannot copy a fresh data folder to {}", data.display());
        prepare(&data);

        let mut keeper = Command::new("bash");
        keeper.args(["-c", KEEPER, "keeper"]).env("PLACE", &place).current_dir(&place);
        let postgres = as_nobody(&programs.join("postgres"));
        keeper.arg(postgres.get_program()).args(postgres.get_args()).arg("-D").arg(&data).arg("-k").arg(&place);
        for setting in ["listen_addresses=", "max_connections=200", "log_min_messages=warning"].iter().chain(settings) {
            keeper.args(["-c", setting]);
        }
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Server { major, place, keeper: Mutex::new(keeper) };
        server.wait_until_ready();
        server
    }

    /// Stops it as a power cut would, and starts it again.
    pub fn crash(&self) {
        self.order("crash");
        self.wait_until_ready();
    }

    /// Stops it as a power cut would, for good.
    pub fn stop(&self) {
        let mut keeper = self.keeper.lock().unwrap();
        writeln!(keeper.stdin.as_mut().unwrap(), "stop").unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while std::os::unix::net::UnixStream::connect(self.place.join(".s.PGSQL.5432")).is_ok() {
            assert!(Instant::now() < limit, "postgres {} did not stop", self.major);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.place.join("log")).unwrap_or_default()
    }

    /// A database that is there already, by another name for its server.
    pub fn holding(&self, database: &Database) -> Database {
        Database { place: self.place.clone(), name: database.name.clone() }
    }

    fn order(&self, line: &str) {
        let mut keeper = self.keeper.lock().unwrap();
        let before = self.started();
        writeln!(keeper.stdin.as_mut().unwrap(), "{line}").unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while self.started() == before && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The line of postmaster.pid that changes with each start: its process id and start time.
    fn started(&self) -> Option<String> {
        let text = fs::read_to_string(self.place.join("data/postmaster.pid")).ok()?;
        Some(text.lines().take(3).collect())
    }

    fn wait_until_ready(&self) {
        let limit = Instant::now() + Duration::from_secs(60);
        let ready =
            || fs::read_to_string(self.place.join("data/postmaster.pid")).is_ok_and(|text| text.contains("ready"));
        while !ready() {
            assert!(Instant::now() < limit, "postgres {} did not start: {}", self.major, self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A new database of this server.
    pub async fn database(&self) -> Database {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("t{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let client = connect(&self.place, "postgres", SUPERUSER).await;
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        Database { place: self.place.clone(), name }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let keeper = self.keeper.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(keeper.stdin.take());
        let _ = keeper.wait();
    }
}

/// A database of a throw-away server.
#[derive(Clone)]
pub struct Database {
    place: PathBuf,
    /// Its name.
    pub name: String,
}

impl Database {
    /// A connection as the superuser.
    pub async fn connect(&self) -> Client {
        self.connect_as(SUPERUSER).await
    }

    /// A connection as the superuser to another database of the same server.
    pub async fn elsewhere(&self, name: &str) -> Client {
        connect(&self.place, name, SUPERUSER).await
    }

    /// A connection as a role that can log in.
    pub async fn connect_as(&self, user: &str) -> Client {
        connect(&self.place, &self.name, user).await
    }

    /// The address for libpq-like clients; the socket's folder stands in `host`.
    pub fn url(&self, user: &str) -> String {
        format!("postgres://{user}@localhost/{}?host={}", self.name, self.place.display())
    }

    /// The server's socket, to speak to it in bytes.
    pub fn socket(&self) -> PathBuf {
        self.place.join(".s.PGSQL.5432")
    }

    /// The folder of its server's socket.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Runs statements as the superuser.
    pub async fn run(&self, sql: &str) {
        if let Err(error) = self.connect().await.batch_execute(sql).await {
            panic!("{}\n{sql}", describe(&error));
        }
    }
}

/// An error with what the server said.
pub fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{}: {} ({:?})", said.code().code(), said.message(), said.where_()),
        None => error.to_string(),
    }
}

/// A connection through the socket in this folder.
pub async fn connect(place: &Path, database: &str, user: &str) -> Client {
    let mut config = tokio_postgres::Config::new();
    config.host_path(place).dbname(database).user(user);
    let (client, connection) = config.connect(NoTls).await.unwrap_or_else(|error| panic!("{}", describe(&error)));
    tokio::spawn(async move {
        // A connection that a test kills ends with an error; the test sees it at its own calls.
        let _ = connection.await;
    });
    client
}

/// The folder of a major's programs, readable by who runs them.
pub fn programs(major: u32) -> PathBuf {
    let packaged = PathBuf::from(format!("/usr/lib/postgresql/{major}/bin"));
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!(".cache/postgres/{major}/native"));
    if packaged.join("postgres").exists() {
        return packaged;
    }
    assert!(fetched.join("bin/postgres").exists(), "PostgreSQL {major} is not here: run `.ci/postgres {major}`");
    let reachable =
        as_nobody(&fetched.join("bin/postgres")).arg("--version").output().is_ok_and(|output| output.status.success());
    if reachable { fetched.join("bin") } else { copied(&fetched, major).join("bin") }
}

/// A data folder as initdb makes it, made once a machine: initdb takes longer than most tests.
fn fresh_data(major: u32, programs: &Path) -> PathBuf {
    let ready = std::env::temp_dir().join(format!("onlyonce-initdb-{major}")).join("data");
    if !ready.exists() {
        let staged = tempfile::Builder::new().prefix("onlyonce-initdb-").tempdir().unwrap().keep();
        fs::set_permissions(&staged, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let mut init = as_nobody(&programs.join("initdb"));
        init.args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username", SUPERUSER]);
        let made = init.arg("--pgdata").arg(staged.join("data")).current_dir(&staged).output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        // Another test process may have been first: then its folder serves, and this one is left for it.
        if fs::rename(&staged, ready.parent().unwrap()).is_err() {
            let _ = fs::remove_dir_all(&staged);
        }
    }
    ready
}

/// A copy where everybody may read it: a checkout below a private home folder is closed to other users.
fn copied(fetched: &Path, major: u32) -> PathBuf {
    let place = std::env::temp_dir().join(format!("onlyonce-postgres-{major}"));
    if !place.join("bin/postgres").exists() {
        let staged = tempfile::Builder::new().prefix("onlyonce-postgres-").tempdir().unwrap().keep();
        let done = Command::new("cp").arg("-a").arg(fetched).arg(staged.join("native")).status().unwrap();
        assert!(done.success(), "cannot copy {}", fetched.display());
        fs::set_permissions(&staged, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        // Another test process may have been first: then its copy serves.
        let _ = fs::rename(staged.join("native"), &place);
        let _ = fs::remove_dir_all(&staged);
    }
    place
}

/// The program as this user, or as `postgres` or `nobody` when this user is root, whom postgres refuses.
pub fn as_nobody(program: &Path) -> Command {
    let root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !root {
        return Command::new(program);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = if users.lines().any(|line| line.starts_with("postgres:")) { "postgres" } else { "nobody" };
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", if user == "nobody" { "nogroup" } else { user }, "--clear-groups"]);
    command.arg(program);
    command
}
