//! The benchmark of the SQL lint: `onlyonce check --only sql`, replay of the whole history and every rule, beside squawk on
//! the files of the same migrations. A program and not a test: nothing that it measures is asserted.
//!
//! ```text
//! cargo bench --bench lint -- path/to/a/project path/to/another --rounds 15
//! ```
//!
//! Every round runs each program once on each folder, one after the other, and ratios are taken within a round. Where
//! others compute on the same cores the ratios of processor time say more than those of the clock. squawk is used where
//! it is installed: `pip install squawk-cli`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use onlyonce::migration::folder::{Folder, entries};
use onlyonce::migration::tell::tell;
use onlyonce::schema::{Name, Table as Made, replay};

#[allow(dead_code, reason = "the benchmark of the scanner uses the rest")]
#[path = "scan/runs.rs"]
mod runs;
#[allow(dead_code, reason = "other benchmarks use the rest")]
#[path = "table.rs"]
mod table;

use runs::Took;
use table::{Table, median, ratio, thousands};

/// Measures the lint on folders of migrations
#[derive(Parser)]
#[command(name = "lint")]
pub(crate) struct Options {
    /// Projects, or folders of migrations; what is read is copied first
    pub(crate) projects: Vec<PathBuf>,
    /// Rounds, each with one run of each program on each folder
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Measure this onlyonce, and not the one that cargo built
    #[arg(long)]
    pub(crate) program: Option<PathBuf>,
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

/// One project's migrations: a copy, with a manifest that names a table of theirs as the ledger, so that every rule has
/// something to do.
struct Stage {
    name: String,
    files: Vec<PathBuf>,
    bytes: usize,
    place: tempfile::TempDir,
}

impl Stage {
    /// `None` where no tool's folder is found.
    fn of(project: &Path) -> std::io::Result<Option<Stage>> {
        let Some(folder) = migrations_of(project) else { return Ok(None) };
        let Some((layout, _)) = tell(&folder) else { return Ok(None) };
        let place = tempfile::tempdir()?;
        let (mut files, mut bytes) = (Vec::new(), 0);
        let read = entries(&folder).map_err(|fault| std::io::Error::other(fault.message))?;
        for entry in &read {
            let path = place.path().join("migrations").join(&entry.path);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            std::fs::write(path, &entry.text)?;
        }
        let root = place.path().join("migrations");
        let history = Folder::read(layout, &root, &read).history();
        for file in &history {
            bytes += file.source.text().len();
            files.push(PathBuf::from(file.source.name()));
        }
        files.sort();
        files.dedup();
        let tables = replay(&history).schema.tables;
        let widest = tables.iter().max_by_key(|(_, table)| table.columns.len());
        let (table, key, status) =
            widest.map_or_else(|| ("public.none".to_owned(), "k", "s"), |(name, table)| columns(name, table));
        let manifest = format!(
            "version = 1\n[schema]\nmigrations = \"migrations\"\nlayout = \"{}\"\n[schema.adopt]\nactions = \"{table}\"\n\
             key = \"{key}\"\nstatus = \"{status}\"\n",
            layout.name()
        );
        std::fs::write(place.path().join("onlyonce.toml"), manifest)?;
        let name = project.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Some(Stage { name, files, bytes, place }))
    }

    fn onlyonce(&self, program: &Path) -> std::io::Result<Took> {
        runs::run(
            Command::new(program).args(["check", "--only", "sql", "--format", "json"]).current_dir(self.place.path()),
        )
    }

    /// It cannot tell which way a file goes: it gets the same ones.
    fn squawk(&self) -> std::io::Result<Took> {
        runs::run(Command::new("squawk").args(["--reporter", "gcc"]).args(&self.files).current_dir(self.place.path()))
    }
}

fn columns<'t>(name: &Name, table: &'t Made) -> (String, &'t str, &'t str) {
    let mut names = table.columns.keys().map(String::as_str);
    let key = names.next().unwrap_or("k");
    (name.to_string(), key, names.next().unwrap_or(key))
}

/// The first folder at or below this one whose tool is known.
fn migrations_of(folder: &Path) -> Option<PathBuf> {
    if tell(folder).is_some() {
        return Some(folder.to_owned());
    }
    let mut below: Vec<_> = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    below.sort();
    below.iter().filter(|path| path.is_dir()).find_map(|path| migrations_of(path))
}

fn has_squawk() -> bool {
    let found = Command::new("squawk").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// What the runs of both programs on one folder took.
#[derive(Default)]
struct Both {
    ours: Vec<Took>,
    theirs: Vec<Took>,
}

impl Both {
    fn row(&self, name: &str, files: usize, bytes: usize) -> Vec<String> {
        let seconds = |took: &[Took]| took.iter().map(|one| one.seconds).collect::<Vec<_>>();
        let processor = |took: &[Took]| took.iter().map(|one| one.processor).collect::<Vec<_>>();
        // Processor time is told in hundredths of a second: of less than a few nothing can be said.
        let compared = |ours: Vec<f64>, theirs: Vec<f64>, least: f64| {
            let is_told = !theirs.is_empty() && theirs.iter().all(|one| *one > least);
            if is_told { ratio(&ours, &theirs) } else { "-".to_owned() }
        };
        vec![
            name.to_owned(),
            thousands(files as f64),
            thousands(bytes as f64 / 1024.0),
            format!("{:.1}", median(&seconds(&self.ours)) * 1e3),
            format!("{:.1}", median(&seconds(&self.theirs)) * 1e3),
            compared(seconds(&self.ours), seconds(&self.theirs), 0.0),
            compared(processor(&self.ours), processor(&self.theirs), 0.05),
        ]
    }
}

/// Measures what was asked for.
pub(crate) fn measure(options: &Options, mut show: impl FnMut(&str)) -> std::io::Result<()> {
    let program = options.program.clone().unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_onlyonce")));
    let mut stages = Vec::new();
    for project in &options.projects {
        match Stage::of(project)? {
            Some(stage) => stages.push(stage),
            None => show(&format!("{}: no tool's folder", project.display())),
        }
    }
    if stages.is_empty() {
        show("name projects that hold migrations");
        return Ok(());
    }
    let beside = has_squawk();
    let mut each: Vec<Both> = stages.iter().map(|_| Both::default()).collect();
    let mut whole = Both::default();
    for _ in 0..options.rounds {
        let (mut ours, mut theirs) = (Took::default(), Took::default());
        for (stage, both) in stages.iter().zip(&mut each) {
            let took = stage.onlyonce(&program)?;
            ours = sum(ours, took);
            both.ours.push(took);
            if beside {
                let took = stage.squawk()?;
                theirs = sum(theirs, took);
                both.theirs.push(took);
            }
        }
        whole.ours.push(ours);
        whole.theirs.extend(beside.then_some(theirs));
    }
    let without = if beside { "" } else { "; no squawk: pip install squawk-cli" };
    let heading = format!("The SQL lint on the same migrations, {} rounds{without}", options.rounds);
    let columns = ["folder", "files", "KiB", "onlyonce ms", "squawk ms", "over squawk", "processor over squawk"];
    let mut table = Table::new(heading, &columns);
    for (stage, both) in stages.iter().zip(&each) {
        table.push(&both.row(&stage.name, stage.files.len(), stage.bytes));
    }
    let (files, bytes) = stages.iter().fold((0, 0), |(files, bytes), one| (files + one.files.len(), bytes + one.bytes));
    table.push(&whole.row("all of them", files, bytes));
    show(&table.to_string());
    Ok(())
}

fn sum(one: Took, other: Took) -> Took {
    let peak = one.peak.max(other.peak);
    Took { seconds: one.seconds + other.seconds, processor: one.processor + other.processor, peak }
}
