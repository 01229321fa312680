//! pgbench, which sends a script's statements as prepared ones from many connections at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{self, Database};

/// The login that every script runs as: in the ledger's app role, and with the rights that `bare` and `floor` need.
pub(crate) const WORKER: &str = "bench_worker";

/// How long one run takes.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    /// Seconds.
    Seconds(u32),
    /// Transactions of each client.
    Transactions(u32),
}

impl std::fmt::Display for Length {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Length::Seconds(seconds) => write!(out, "{seconds} s"),
            Length::Transactions(transactions) => write!(out, "{transactions} transactions a client"),
        }
    }
}

/// A pgbench that was found.
pub(crate) struct Pgbench {
    program: PathBuf,
}

/// What one run did.
pub(crate) struct Run {
    /// Transactions of the script a second, without the time to connect.
    pub(crate) per_second: f64,
    /// Transactions of the script in all.
    pub(crate) transactions: u64,
}

impl Pgbench {
    /// The one next to the server's programs, else the newest that is installed.
    pub(crate) fn find(major: u32) -> Result<Pgbench, String> {
        let mut places = vec![support::programs(major).join("pgbench")];
        let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
            .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path().join("bin/pgbench"))).collect())
            .unwrap_or_default();
        installed.sort();
        places.extend(installed.into_iter().rev());
        let searched = std::env::var_os("PATH").unwrap_or_default();
        places.extend(std::env::split_paths(&searched).map(|folder| folder.join("pgbench")));
        let program = places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
            format!("no pgbench is installed: on Debian it comes with the package postgresql-{major}")
        })?;
        Ok(Pgbench { program })
    }

    /// What it says of its version.
    pub(crate) fn version(&self) -> String {
        let output = Command::new(&self.program).arg("--version").output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Runs this script in the database. A transaction that fails ends the benchmark.
    pub(crate) fn run(&self, database: &Database, script: &str, clients: u32, length: Length) -> Run {
        let file = tempfile::Builder::new().suffix(".pgb").tempfile().unwrap();
        fs::write(file.path(), script).unwrap();
        let mut command = Command::new(&self.program);
        command.args(["-n", "-M", "prepared", "-U", WORKER, "-j", if clients > 1 { "2" } else { "1" }]);
        command.args(["-c", &clients.to_string()]).arg("-h").arg(database.place()).arg("-f").arg(file.path());
        match length {
            Length::Seconds(seconds) => command.args(["-T", &seconds.to_string()]),
            Length::Transactions(transactions) => command.args(["-t", &transactions.to_string()]),
        };
        let output = command.arg(&database.name).output().unwrap();
        let (said, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let failed = number_after(&said, "number of failed transactions: ").unwrap_or(0.0);
        assert!(output.status.success() && failed == 0.0, "a transaction failed: {complaints}{said}\n{script}");
        Run {
            per_second: number_after(&said, "tps = ").unwrap_or_else(|| panic!("pgbench told no rate: {said}")),
            transactions: number_after(&said, "number of transactions actually processed: ")
                .unwrap_or_else(|| panic!("pgbench told no number: {said}")) as u64,
        }
    }
}

/// The number that stands behind these words.
fn number_after(text: &str, words: &str) -> Option<f64> {
    let rest = &text[text.find(words)? + words.len()..];
    rest.split(|letter: char| !letter.is_ascii_digit() && letter != '.').next()?.parse().ok()
}

/// How long a flush of eight kilobytes to this folder takes: the median of two hundred, in microseconds.
pub(crate) fn flush_time(folder: &Path) -> f64 {
    use std::io::{Seek as _, Write as _};
    let mut file = tempfile::tempfile_in(folder).unwrap();
    let times = (0..200).map(|_| {
        file.rewind().unwrap();
        file.write_all(&[1; 8192]).unwrap();
        let started = std::time::Instant::now();
        file.sync_data().unwrap();
        started.elapsed().as_secs_f64() * 1e6
    });
    super::table::median(&times.collect::<Vec<f64>>())
}
