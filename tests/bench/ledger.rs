//! The benchmark of the ledger: what it costs beside the same two statements on a bare table, and beside those in
//! two functions. `sql/README.md` says how to read it. A program and not a test: nothing that it measures is asserted.

use std::process::ExitCode;

use clap::{Parser, ValueEnum};

mod duplicates;
mod growth;
mod pgbench;
mod stage;
#[path = "../support/mod.rs"]
pub(crate) mod support;
mod table;
mod throughput;
mod upkeep;
pub(crate) mod variants;

use pgbench::Length;
pub(crate) use stage::Bench;
use table::Table;

/// As a server that is meant for work: flushes are real, and no checkpoint falls into a round.
const SETTINGS: [&str; 4] = ["fsync=on", "max_wal_size=8GB", "checkpoint_timeout=1h", "shared_buffers=512MB"];

/// What to measure.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Pairs of reserve and record, against the floor and the bare table
    Throughput,
    /// Duplicates of settled actions, against a SELECT by primary key
    Duplicates,
    /// Pairs in ever larger tables
    Growth,
    /// Sweep and purge of many rows
    Upkeep,
    /// Pairs in eight partitions, against one table
    Partitions,
    /// All of these
    All,
}

/// Measures the ledger on a throw-away server
#[derive(Parser)]
#[command(name = "ledger")]
pub(crate) struct Options {
    /// What to measure
    #[arg(value_enum, default_value = "all")]
    pub(crate) what: What,
    /// Rounds, each with one run of each variant
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Seconds of each run; 0 is twenty transactions of each client
    #[arg(long, default_value_t = 2)]
    pub(crate) seconds: u32,
    /// Numbers of clients: duplicates take the last, growth the middle one, partitions all over 1
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    pub(crate) clients: Vec<u32>,
    /// Major version of the server
    #[arg(long, default_value_t = 15)]
    pub(crate) postgres: u32,
    /// Rows of upkeep and of the largest growth; duplicates take a tenth
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1000..))]
    pub(crate) rows: u64,
    /// Growth to ten times as many rows
    #[arg(long)]
    pub(crate) full: bool,
    /// cargo bench says so
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

impl Options {
    /// How long each run takes.
    pub(crate) fn length(&self) -> Length {
        if self.seconds == 0 { Length::Transactions(20) } else { Length::Seconds(self.seconds) }
    }

    /// Whether this part was asked for.
    fn wants(&self, part: What) -> bool {
        self.what == part || self.what == What::All
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    match runtime.block_on(measure(&options, |text| println!("{text}"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what was asked for, and shows each table as soon as it is there.
pub(crate) async fn measure(options: &Options, mut show: impl FnMut(&str)) -> Result<(), String> {
    let bench = Bench::start(options)?;
    show(&bench.surroundings().await);
    let mut tables = |tables: Vec<Table>| tables.iter().for_each(|table| show(&table.to_string()));
    if options.wants(What::Throughput) {
        tables(throughput::measure(&bench).await);
    }
    if options.wants(What::Duplicates) {
        tables(vec![duplicates::measure(&bench).await]);
    }
    if options.wants(What::Growth) {
        tables(vec![growth::measure(&bench).await]);
    }
    if options.wants(What::Upkeep) {
        tables(vec![upkeep::measure(&bench).await]);
    }
    if options.wants(What::Partitions) {
        tables(throughput::partitions(&bench).await);
    }
    Ok(())
}
