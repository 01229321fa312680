//! Ends what the run started, even when the run itself is killed: a shell that waits for our end of a pipe to close.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::Fault;

/// Lines name the groups of the worker, of one that is stopped and of the server, and the folder that is to go; the last
/// of each counts.
const SCRIPT: &str = r#"
while read -r what value; do
  case $what in
    worker) worker=$value ;;
    stopped) stopped=$value ;;
    server) server=$value ;;
    folder) folder=$value ;;
  esac
done
[ -z "$worker" ] || kill -s KILL -- "-$worker"
[ -z "$stopped" ] || kill -s KILL -- "-$stopped"
[ -z "$server" ] || kill -s QUIT -- "-$server"
[ -z "$folder" ] || { sleep 1; rm -rf -- "$folder"; }
"#;

/// The shell.
pub(super) struct Keeper(Mutex<Child>);

impl Keeper {
    pub(super) fn start() -> Result<Keeper, Fault> {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "onlyonce-keeper"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Not in our group: what a terminal sends to us is not for it.
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let child = shell.spawn().map_err(|error| Fault::new(format!("cannot start sh: {error}")))?;
        Ok(Keeper(Mutex::new(child)))
    }

    /// The worker's group now; none when it has ended.
    pub(super) fn worker(&self, group: Option<u32>) {
        self.say("worker", &group.map(|group| group.to_string()).unwrap_or_default());
    }

    /// The group of a worker that is stopped, beside the one that goes on.
    pub(super) fn stopped(&self, group: Option<u32>) {
        self.say("stopped", &group.map(|group| group.to_string()).unwrap_or_default());
    }

    /// The server's group now.
    pub(super) fn server(&self, group: Option<u32>) {
        self.say("server", &group.map(|group| group.to_string()).unwrap_or_default());
    }

    /// The folder that goes at the end.
    pub(super) fn folder(&self, folder: &Path) {
        self.say("folder", &folder.display().to_string());
    }

    fn say(&self, what: &str, value: &str) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(input) = child.stdin.as_mut() {
            // A keeper that is gone leaves us to end things ourselves, as we do anyway.
            let _ = writeln!(input, "{what} {value}");
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let child = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(child.stdin.take());
        let _ = child.wait();
    }
}
