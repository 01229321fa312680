//! The database of a run: a server of its own that goes with it, or a database of its own on a server that is given.
//! What is given is never written to outside of that database. Blocks; not to be called on a thread of the runtime.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use postgres::Client;
use rustix::process::{Pid, Signal, kill_process};

use crate::chaos::keeper::Keeper;
use crate::chaos::plan::DatabasePlan;
use crate::chaos::worker::free_port;
use crate::diagnostic::Fault;
use crate::escape::shown;
use crate::files::cannot;
use crate::live::{self, Address};

/// Who owns everything in a server of our own.
const USER: &str = "onlyonce";

/// How long a server may take to start.
const START: Duration = Duration::from_secs(60);

/// A database that goes when this is dropped.
pub(super) struct Server {
    /// Its address, for the worker and for us; never to be shown.
    pub(super) url: String,
    of: Of,
}

enum Of {
    /// A server of our own.
    Own(Own),
    /// A database on a server that is given: the address to drop it by, and its name.
    Given(String, String),
}

struct Own {
    programs: PathBuf,
    place: PathBuf,
    port: u16,
    /// As whom it runs, when we are root, whom it refuses.
    user: Option<(u32, u32)>,
    child: Child,
}

impl Server {
    /// Starts a server in this folder.
    pub(super) fn start(plan: &DatabasePlan, folder: &Path, keeper: &Keeper) -> Result<Server, Fault> {
        let programs = programs(plan.programs.as_deref())?;
        let user = if rustix::process::geteuid().is_root() { Some(ordinary_user()?) } else { None };
        let place = folder.join("postgres");
        let password = random();
        prepare(&place, user, &password).map_err(|error| cannot("write", &place, &error))?;
        let mut init = as_user(&programs.join("initdb"), user);
        init.args(["--no-sync", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--username", USER]);
        init.arg("--pwfile").arg(place.join("password")).arg("--pgdata").arg(place.join("data")).current_dir(&place);
        let made = init.output().map_err(|error| cannot("run", &programs.join("initdb"), &error))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr);
            return Err(Fault::new(format!("initdb failed: {}", shown(said.trim()))));
        }
        let port = free_port().map_err(|error| Fault::new(format!("no port is free: {error}")))?;
        let child = postmaster(&programs, &place, port, user)?;
        keeper.server(Some(child.id()));
        let url = format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres");
        let mut own = Own { programs, place, port, user, child };
        own.wait_until_ready(&url)?;
        Ok(Server { url, of: Of::Own(own) })
    }

    /// Makes a database of its own on the server of this address.
    pub(super) fn given(url: &str) -> Result<Server, Fault> {
        let name = format!("onlyonce_chaos_{}", random());
        let own = with_database(url, &name)?;
        let made = client(url)?.batch_execute(&format!("CREATE DATABASE {name}"));
        made.map_err(|error| {
            Fault::new(format!("no database could be made for the run: {}", said(&error)))
                .with_help("let the role of --database-url create databases: ALTER ROLE .. CREATEDB")
        })?;
        Ok(Server { url: own, of: Of::Given(url.to_owned(), name) })
    }

    /// A connection to it.
    pub(super) fn client(&self) -> Result<Client, Fault> {
        client(&self.url)
    }

    /// Stops it without a checkpoint and starts it again; false where it is not ours to stop.
    pub(super) fn crash(&mut self, keeper: &Keeper) -> Result<bool, Fault> {
        let Of::Own(own) = &mut self.of else { return Ok(false) };
        own.stop();
        own.child = postmaster(&own.programs, &own.place, own.port, own.user)?;
        keeper.server(Some(own.child.id()));
        let url = self.url.clone();
        own.wait_until_ready(&url).map(|()| true)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        match &mut self.of {
            Of::Own(own) => own.stop(),
            Of::Given(url, name) => {
                let drops = || {
                    // What cannot be dropped stays under its name; the run itself is over.
                    if let Ok(mut client) = client(url) {
                        let _ = client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                    }
                };
                // The driver blocks, and a run that is cut short ends on a thread of the runtime.
                std::thread::scope(|scope| drop(scope.spawn(drops)));
            }
        }
    }
}

impl Own {
    fn stop(&mut self) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (Some(group), Ok(None)) = (group, self.child.try_wait()) {
            let _ = kill_process(group, Signal::QUIT);
        }
        let _ = self.child.wait();
    }

    fn wait_until_ready(&mut self, url: &str) -> Result<(), Fault> {
        let limit = Instant::now() + START;
        loop {
            let Err(error) = client(url) else { return Ok(()) };
            let log = || fs::read_to_string(self.place.join("log")).unwrap_or_default();
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                let log = log();
                let last = log.lines().last().unwrap_or_default();
                return Err(Fault::new(format!("postgres ended as it started: {}", shown(last))));
            }
            if Instant::now() > limit {
                return Err(Fault::new(format!("postgres was not up within a minute: {}", error.message)));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn postmaster(programs: &Path, place: &Path, port: u16, user: Option<(u32, u32)>) -> Result<Child, Fault> {
    let program = programs.join("postgres");
    let log = fs::File::options().create(true).append(true).open(place.join("log"));
    let log = log.map_err(|error| cannot("write", &place.join("log"), &error))?;
    let mut command = as_user(&program, user);
    command.arg("-D").arg(place.join("data")).arg("-k").arg(place).current_dir(place);
    let port = format!("port={port}");
    // Not synced: the machine does not crash, only the server does.
    for setting in [port.as_str(), "listen_addresses=127.0.0.1", "fsync=off", "max_connections=200"] {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
    command.spawn().map_err(|error| cannot("run", &program, &error))
}

fn prepare(place: &Path, user: Option<(u32, u32)>, password: &str) -> std::io::Result<()> {
    fs::create_dir(place)?;
    let file = place.join("password");
    fs::write(&file, format!("{password}\n"))?;
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    if let Some((user, group)) = user {
        chown(place, Some(user), Some(group))?;
        chown(&file, Some(user), Some(group))?;
        // The way to it, which is only ours else.
        if let Some(above) = place.parent() {
            fs::set_permissions(above, std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
        }
    }
    Ok(())
}

fn as_user(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

/// `postgres`, or `nobody`.
fn ordinary_user() -> Result<(u32, u32), Fault> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2).map(str::parse);
        Some((fields.next()?.ok()?, fields.next()?.ok()?))
    };
    of("postgres").or_else(|| of("nobody")).ok_or_else(|| {
        Fault::new("postgres does not run as root, and there is no user `postgres` or `nobody` here")
            .with_help("run it as another user, or name a server with --database-url")
    })
}

/// The folder of a PostgreSQL's programs: the one that is named, or the newest where packages put them, or the path's.
fn programs(named: Option<&Path>) -> Result<PathBuf, Fault> {
    let whole = |folder: &Path| folder.join("initdb").is_file() && folder.join("postgres").is_file();
    if let Some(folder) = named {
        if whole(folder) {
            return Ok(folder.to_owned());
        }
        return Err(Fault::new(format!("there is no PostgreSQL in {}", folder.display()))
            .with_help("programs names the folder of initdb and postgres"));
    }
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for above in ["/usr/lib/postgresql", "/usr", "/opt/homebrew/opt", "/usr/local/opt", "/opt"] {
        for entry in fs::read_dir(above).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let major =
                name.trim_start_matches("postgresql").trim_start_matches("pgsql").trim_start_matches(['-', '@']);
            let folder = entry.path().join("bin");
            if let (Ok(major), true) = (major.parse(), whole(&folder)) {
                found.push((major, folder));
            }
        }
    }
    if let Some((_, folder)) = found.into_iter().max() {
        return Ok(folder);
    }
    let asked = Command::new("pg_config").arg("--bindir").output().ok();
    let of_path = asked.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    of_path.filter(|folder| whole(folder)).ok_or_else(|| {
        Fault::new("no PostgreSQL was found on this machine")
            .with_help("install one, name its folder under [database] programs, or name a server with --database-url")
    })
}

/// The same server, another database.
fn with_database(url: &str, name: &str) -> Result<String, Fault> {
    let Some((scheme, rest)) = url.split_once("://") else { return Ok(format!("{url} dbname={name}")) };
    let (authority, behind) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let query = behind.split_once('?').map(|(_, query)| query).filter(|query| !query.is_empty());
    if query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("dbname="))) {
        return Err(Fault::new("the database address names its database as an option")
            .with_help("write postgres://user:password@host:5432/database"));
    }
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{scheme}://{authority}/{name}{query}"))
}

fn client(url: &str) -> Result<Client, Fault> {
    live::connect(&Address::read(url)?)
}

/// What a server said, as a terminal may show it.
pub(super) fn said(error: &postgres::Error) -> String {
    let said = match error.as_db_error() {
        Some(said) => format!("{} [{}]", said.message(), said.code().code()),
        None => error.to_string(),
    };
    shown(&said).into_owned()
}

/// 32 hexadecimal digits. Each state of the standard hasher has random keys from the system.
pub(super) fn random() -> String {
    let digits = || format!("{:016x}", RandomState::new().build_hasher().finish());
    digits() + &digits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_gets_a_database_of_its_own() {
        let own = |url: &str| with_database(url, "own").unwrap();
        assert_eq!(own("postgres://kim:pw@db:5/agents?sslmode=require"), "postgres://kim:pw@db:5/own?sslmode=require");
        assert_eq!(own("postgres://db"), "postgres://db/own");
        assert_eq!(own("host=db user=kim dbname=agents"), "host=db user=kim dbname=agents dbname=own");
        assert!(with_database("postgres://db?dbname=agents", "own").is_err());
    }

    #[test]
    fn passwords_differ() {
        assert_ne!(random(), random());
        assert_eq!(random().len(), 32);
    }
}
