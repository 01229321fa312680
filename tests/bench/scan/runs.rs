//! One run of a variant, and what it took.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use onlyonce::scan::discover::{Options, discover};
use rayon::prelude::*;

/// What a run took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Took {
    /// By the clock.
    pub(crate) seconds: f64,
    /// Of processors, the system's work included; 0 where the system does not tell.
    pub(crate) processor: f64,
    /// The most memory, MiB; 0 where it is not told.
    pub(crate) peak: f64,
}

/// A copy of a tree, and an empty cache.
pub(crate) struct Stage {
    pub(crate) name: String,
    /// Lines of the files that are read.
    pub(crate) lines: f64,
    /// Those files.
    pub(crate) files: Vec<PathBuf>,
    place: tempfile::TempDir,
}

impl Stage {
    /// Copies what a scan may read.
    pub(crate) fn of(tree: &Path) -> std::io::Result<Stage> {
        let place = tempfile::tempdir()?;
        let root = place.path().join("tree");
        for entry in walkdir::WalkDir::new(tree).into_iter().filter_map(Result::ok) {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if entry.file_type().is_file() && matches!(ending, Some("rs" | "toml" | "graphql" | "gql")) {
                let target = root.join(path.strip_prefix(tree).unwrap_or(path));
                std::fs::create_dir_all(target.parent().unwrap_or(&root))?;
                std::fs::copy(path, target)?;
            }
        }
        let found = discover(&root, &Options::default()).map_err(|fault| std::io::Error::other(fault.message))?;
        let lines = found.files.iter().map(|file| file.source.text().lines().count()).sum::<usize>() as f64;
        let files = found.files.iter().map(|file| root.join(file.source.name())).collect();
        let name = tree.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Stage { name, lines, files, place })
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("tree")
    }

    fn cache(&self) -> PathBuf {
        self.place.path().join("cache")
    }

    /// Reads and parses the same files on all cores, and does nothing with them. Threads of its own each time: syn's
    /// tables of places belong to a thread.
    pub(crate) fn parse(&self) -> std::io::Result<Took> {
        let pool = rayon::ThreadPoolBuilder::new().stack_size(64 << 20).build().map_err(std::io::Error::other)?;
        let (start, before) = (Instant::now(), processor());
        let parsed = pool.install(|| {
            let read = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| syn::parse_file(&text).is_ok());
            self.files.par_iter().filter(|path| read(path)).count()
        });
        drop(pool);
        std::hint::black_box(parsed);
        Ok(Took { seconds: start.elapsed().as_secs_f64(), processor: processor() - before, peak: 0.0 })
    }

    /// `onlyonce sites`, with the cache as it is or without one.
    pub(crate) fn sites(&self, cached: bool) -> std::io::Result<Took> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onlyonce"));
        command.args(["sites", "--format", "json"]).arg(self.root());
        command.env("ONLYONCE_CACHE_DIR", if cached { self.cache() } else { PathBuf::new() });
        run(&mut command)
    }

    /// One trivial rule over the same tree.
    pub(crate) fn ast_grep(&self) -> std::io::Result<Took> {
        run(Command::new("ast-grep").args(["run", "--lang", "rust", "--pattern", "$A.send()"]).arg(self.root()))
    }

    /// Empties the cache.
    pub(crate) fn forget(&self) -> std::io::Result<()> {
        if self.cache().exists() { std::fs::remove_dir_all(self.cache()) } else { Ok(()) }
    }

    /// Adds a function to the file in the middle.
    pub(crate) fn change(&self) -> std::io::Result<()> {
        let Some(path) = self.files.get(self.files.len() / 2) else { return Ok(()) };
        let text = std::fs::read_to_string(path)?;
        std::fs::write(path, format!("{text}\n#[allow(dead_code)]\nfn added_{}() {{}}\n", text.len()))
    }
}

/// Whether ast-grep is installed.
pub(crate) fn has_ast_grep() -> bool {
    let found = Command::new("ast-grep").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Runs a program whose output nobody reads.
pub(crate) fn run(command: &mut Command) -> std::io::Result<Took> {
    let (start, before) = (Instant::now(), processor());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0.0;
    while child.try_wait()?.is_none() {
        peak = high_water(&status).unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(Took { seconds: start.elapsed().as_secs_f64(), processor: processor() - before, peak })
}

/// VmHWM, in MiB.
fn high_water(status: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// Seconds of processors that this process and those it waited for have had.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind);
    // utime, stime, cutime and cstime, in hundredths of a second.
    behind.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
