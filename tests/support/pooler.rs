//! PgBouncer in front of a throw-away server.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use super::{Database, as_nobody, connect};

/// Runs the pooler until standard input ends, which is when the test process does.
const KEEPER: &str = r#"
"$@" >"$PLACE/log" 2>&1 & pooler=$!
cat >/dev/null
kill -KILL "$pooler"; wait "$pooler"; rm -rf "$PLACE"
"#;

/// A running PgBouncer.
pub struct Pooler {
    place: PathBuf,
    database: String,
    keeper: Child,
}

impl Pooler {
    /// One in transaction mode with this many server connections for each user, in front of this database.
    pub fn start(database: &Database, users: &[&str], server_connections: usize) -> Pooler {
        let program = Path::new("/usr/sbin/pgbouncer");
        assert!(program.exists(), "PgBouncer is not here: run `.ci/pgbouncer`");
        let place = tempfile::Builder::new().prefix("onlyonce-pooler-").tempdir().unwrap().keep();
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let at = place.display();
        let users: String = users.iter().map(|user| format!("\"{user}\" \"\"\n")).collect();
        fs::write(place.join("users"), users).unwrap();
        let settings = format!(
            "[databases]\n* = host={server}\n[pgbouncer]\nunix_socket_dir = {at}\nlisten_addr =\nlisten_port = 5432\n\
             auth_type = trust\nauth_file = {at}/users\npool_mode = transaction\nmax_client_conn = 500\n\
             default_pool_size = {server_connections}\nlogfile = {at}/pooler.log\n",
            server = database.place().display(),
        );
        fs::write(place.join("settings"), settings).unwrap();

        let mut keeper = Command::new("bash");
        keeper.args(["-c", KEEPER, "keeper"]).env("PLACE", &place).current_dir(&place);
        let pooler = as_nobody(program);
        keeper.arg(pooler.get_program()).args(pooler.get_args()).arg(place.join("settings"));
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while UnixStream::connect(place.join(".s.PGSQL.5432")).is_err() {
            let log = || fs::read_to_string(place.join("log")).unwrap_or_default();
            assert!(Instant::now() < limit, "PgBouncer did not start: {}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
        Pooler { place, database: database.name.clone(), keeper }
    }

    /// The address for libpq-like clients.
    pub fn url(&self, user: &str) -> String {
        format!("postgres://{user}@localhost/{}?host={}", self.database, self.place.display())
    }

    /// A client's connection.
    pub async fn connect_as(&self, user: &str) -> Client {
        connect(&self.place, &self.database, user).await
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
