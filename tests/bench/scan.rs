//! The benchmark of the scanner: what `onlyonce sites` takes beside syn merely parsing the same files on all cores,
//! beside ast-grep with one trivial rule, with what an earlier run left in the cache, and on ever more of the same code.
//! A program and not a test: nothing that it measures is asserted.
//!
//! ```text
//! cargo bench --bench scan -- path/to/a/workspace path/to/another --rounds 7
//! cargo bench --bench scan -- --growth
//! ```
//!
//! Every round runs each variant once, one after the other, and ratios are taken within a round. Where others compile
//! on the same cores the ratios of processor time say more than those of the clock. ast-grep is used where it is
//! installed: `pip install ast-grep-cli`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

#[path = "scan/growth.rs"]
mod growth;
#[path = "scan/runs.rs"]
mod runs;
#[path = "table.rs"]
mod table;

use runs::{Stage, Took};
use table::{Table, median, ratio, thousands};

/// Measures the scanner on trees of code
#[derive(Parser)]
#[command(name = "scan")]
pub(crate) struct Options {
    /// Folders to scan; they are copied first and stay as they are
    pub(crate) trees: Vec<PathBuf>,
    /// Rounds, each with one run of each variant
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Scan 1, 2, 4 and 8 times the same code, in many files and in one function
    #[arg(long)]
    pub(crate) growth: bool,
    /// Modules, and tens of sends in one function, of the smallest growth
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) size: u32,
    /// cargo bench says so
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

fn main() -> ExitCode {
    match measure(&Options::parse(), |text| println!("{text}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures what was asked for, and shows each table as soon as it is there.
pub(crate) fn measure(options: &Options, mut show: impl FnMut(&str)) -> std::io::Result<()> {
    if options.trees.is_empty() && !options.growth {
        show("name folders to scan, or --growth");
    }
    for tree in &options.trees {
        show(&of_tree(tree, options)?.to_string());
    }
    if options.growth {
        for table in growth::measure(options)? {
            show(&table.to_string());
        }
    }
    Ok(())
}

/// What every run of one variant took.
struct Variant {
    name: &'static str,
    took: Vec<Took>,
}

impl Variant {
    fn seconds(&self) -> Vec<f64> {
        self.took.iter().map(|took| took.seconds).collect()
    }

    fn processor(&self) -> Vec<f64> {
        self.took.iter().map(|took| took.processor).collect()
    }
}

fn of_tree(tree: &std::path::Path, options: &Options) -> std::io::Result<Table> {
    let stage = Stage::of(tree)?;
    let names = ["syn alone", "cold, no cache", "cold, fills the cache", "unchanged, cached", "one file changed"];
    let mut variants: Vec<Variant> = names.iter().map(|name| Variant { name, took: Vec::new() }).collect();
    if runs::has_ast_grep() {
        variants.push(Variant { name: "ast-grep, one rule", took: Vec::new() });
    }
    for _ in 0..options.rounds {
        for variant in &mut variants {
            variant.took.push(match variant.name {
                "syn alone" => stage.parse()?,
                "cold, no cache" => stage.sites(false)?,
                "cold, fills the cache" => {
                    stage.forget()?;
                    stage.sites(true)?
                }
                "unchanged, cached" => stage.sites(true)?,
                "one file changed" => {
                    stage.change()?;
                    stage.sites(true)?
                }
                _ => stage.ast_grep()?,
            });
        }
    }
    Ok(shown(&stage, &variants, options))
}

fn shown(stage: &Stage, variants: &[Variant], options: &Options) -> Table {
    let heading = format!(
        "{}: {} lines in {} files that are read, {} rounds{}",
        stage.name,
        thousands(stage.lines),
        thousands(stage.files.len() as f64),
        options.rounds,
        if runs::has_ast_grep() { "" } else { "; no ast-grep: pip install ast-grep-cli" }
    );
    let columns = ["variant", "seconds", "processor", "over syn", "processor over syn", "over cold", "lines/s", "MiB"];
    let mut table = Table::new(heading, &columns);
    let (syn, cold) = (&variants[0], &variants[1]);
    for variant in variants {
        let peak = variant.took.iter().map(|took| took.peak).fold(0.0, f64::max);
        let seconds = median(&variant.seconds());
        table.push(&[
            variant.name.to_owned(),
            format!("{seconds:.3}"),
            format!("{:.2}", median(&variant.processor())),
            ratio(&variant.seconds(), &syn.seconds()),
            ratio(&variant.processor(), &syn.processor()),
            ratio(&variant.seconds(), &cold.seconds()),
            thousands(stage.lines / seconds),
            if peak > 0.0 { thousands(peak) } else { "-".to_owned() },
        ]);
    }
    table
}
