//! What a command runs under: where it stands, the time, and where its words go.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::{Cli, Color, cache};
use crate::diagnostic::{Fault, Faults};
use crate::gate::place;
use crate::manifest::diff::Emitted;
use crate::manifest::{self, Manifest, fresh, renamed};
use crate::report::human;
use crate::scan;
use crate::source::Span;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing to complain of.
    Clean = 0,
    /// A finding at or over `--fail-on`, or a stale file with `--check`.
    Findings = 1,
    /// The work could not be done.
    Failed = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Where a command stands, the time, and where its words go.
pub struct Page<'a> {
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Now; from SOURCE_DATE_EPOCH where that is set, so that outputs can be reproduced.
    pub now: jiff::Timestamp,
    /// DATABASE_URL: where the live ledger is, when the command line does not say.
    pub database_url: Option<OsString>,
    /// The whole environment, for a program that a command starts: it gets what the user names of it.
    pub environment: Vec<(OsString, OsString)>,
    /// GITHUB_ACTIONS is `true`: what is printed is read for annotations.
    pub in_actions: bool,
    /// Where what scans found is kept: ONLYONCE_CACHE_DIR, or the user's caches. `None`, as an empty variable: nowhere.
    pub cache: Option<PathBuf>,
    out: Box<dyn Write + 'a>,
    err: Box<dyn Write + 'a>,
    terminal: Terminal,
    manifest: Option<PathBuf>,
    style: human::Style,
    quiet: bool,
    verbose: bool,
}

/// What is known of the terminal.
#[derive(Clone, Copy, Debug, Default)]
struct Terminal {
    /// Standard output is one and NO_COLOR is not set.
    colors: bool,
    /// Standard error is one, so that progress can be shown.
    progress: bool,
}

impl<'a> Page<'a> {
    /// The process's own folder, clock, streams and terminal.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "here the process's environment becomes a value")]
    pub fn of_process() -> Page<'static> {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colors = std::io::stdout().is_terminal() && !no_color;
        Page {
            database_url: std::env::var_os("DATABASE_URL"),
            environment: std::env::vars_os().collect(),
            in_actions: std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            cache: cache::folder(std::env::var_os("ONLYONCE_CACHE_DIR")),
            terminal: Terminal { colors, progress: std::io::stderr().is_terminal() },
            ..Page::new(
                std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
                stamp(std::env::var("SOURCE_DATE_EPOCH").ok().as_deref()),
                std::io::stdout(),
                std::io::stderr(),
            )
        }
    }

    /// A page that stands in `folder` at `now` and writes to `out` and `err`; no terminal.
    pub fn new(folder: PathBuf, now: jiff::Timestamp, out: impl Write + 'a, err: impl Write + 'a) -> Page<'a> {
        Page {
            folder,
            now,
            database_url: None,
            environment: Vec::new(),
            in_actions: false,
            cache: None,
            out: Box::new(out),
            err: Box::new(err),
            terminal: Terminal::default(),
            manifest: None,
            style: human::Style::default(),
            quiet: false,
            verbose: false,
        }
    }

    /// Takes over the global arguments.
    pub(super) fn set(&mut self, cli: &Cli) {
        self.manifest = cli.manifest.as_ref().map(|path| self.folder.join(path));
        self.style.color = match cli.color {
            Color::Auto => self.terminal.colors,
            Color::Always => true,
            Color::Never => false,
        };
        self.quiet = cli.quiet;
        self.verbose = cli.verbose;
    }

    /// How text for people looks.
    #[must_use]
    pub fn style(&self) -> human::Style {
        self.style
    }

    /// Whether progress can be shown and is wanted.
    #[must_use]
    pub fn shows_progress(&self) -> bool {
        self.terminal.progress && !self.quiet
    }

    /// The same settings with what earlier runs found, unless that is not wanted.
    #[must_use]
    pub fn cached(&self, settings: &scan::Settings, no_cache: bool) -> scan::Settings {
        let folder = self.cache.as_ref().filter(|_| !no_cache);
        scan::Settings { cache: folder.and_then(|folder| cache::open(folder)), ..settings.clone() }
    }

    /// Today, in UTC.
    #[must_use]
    pub fn today(&self) -> jiff::civil::Date {
        jiff::tz::Offset::UTC.to_datetime(self.now).date()
    }

    /// A path as the user wrote it, from where the user stands.
    #[must_use]
    pub fn path(&self, written: &Path) -> PathBuf {
        if written == Path::new(".") { self.folder.clone() } else { self.folder.join(written) }
    }

    /// A path as people are shown it: from where they stand, when it lies below.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    /// The manifest that was named, or the nearest one upwards from `start`.
    ///
    /// # Errors
    /// When it is named and cannot be used, or there is none.
    pub fn manifest(&self, start: &Path) -> Result<Manifest, Faults> {
        self.manifest_if_any(start)?.ok_or_else(|| {
            Fault::new(format!("no onlyonce.toml in {} or above it", start.display()))
                .with_help("run `onlyonce init` to draft one, or name it with --manifest")
                .into()
        })
    }

    /// The same, or nothing where there is none; a named one must be there.
    ///
    /// # Errors
    /// When there is one and it cannot be used.
    pub fn manifest_if_any(&self, start: &Path) -> Result<Option<Manifest>, Faults> {
        let path = self.manifest.clone().or_else(|| manifest::find(start));
        path.map(|path| manifest::load(&path, &self.shown(&path), &scan::rules::names())).transpose()
    }

    /// The manifest for a folder that is looked at, under a name relative to that folder, as findings in it have.
    ///
    /// # Errors
    /// When there is one and it cannot be used, or one was named and is not there.
    pub fn manifest_for(&self, root: &Path) -> Result<Option<Manifest>, Faults> {
        let load = |path: PathBuf| manifest::load(&path, &place::seen_from(root, &path), &scan::rules::names());
        self.manifest_path(root).map(load).transpose()
    }

    /// Where the manifest for a folder stands: where it was named, or the nearest one upwards.
    #[must_use]
    pub fn manifest_path(&self, root: &Path) -> Option<PathBuf> {
        self.manifest.clone().or_else(|| manifest::find(root))
    }

    /// Findings and documents.
    pub fn print(&mut self, text: &str) {
        // A reader that has gone away (`| head`) is no failure of ours, and there is nobody left to tell.
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// What was done, for people; silent with `--quiet`.
    pub fn tell(&mut self, text: &str) {
        if !self.quiet {
            self.complain(text);
        }
    }

    /// What is done on the way; only with `--verbose`.
    pub fn murmur(&mut self, text: &str) {
        if self.verbose {
            self.complain(text);
        }
    }

    /// What went wrong.
    pub fn complain(&mut self, text: &str) {
        let line_break = if text.ends_with('\n') { "" } else { "\n" };
        let _ = write!(self.err, "{text}{line_break}");
    }

    /// What a manifest that is valid may get wrong all the same.
    pub(super) fn doubt(&mut self, manifest: &Manifest) {
        for fresh in fresh::fresh(manifest) {
            self.warn(manifest, fresh.place, &fresh.message(), &fresh.help());
        }
    }

    /// Names that have changed since they were emitted.
    pub(super) fn doubt_names(&mut self, emitted: &Emitted, manifest: &Manifest) {
        for renamed in renamed::renamed(emitted, manifest) {
            self.warn(manifest, renamed.place, &renamed.message(), &renamed.help());
        }
    }

    fn warn(&mut self, manifest: &Manifest, place: Span, message: &str, help: &str) {
        let place = format!("{}:{}", manifest.source.name(), manifest.source.position(place.start).line);
        self.complain(&format!("warning: {place}: {message}\n  help: {help}"));
    }

    /// Faults as people read them.
    pub(super) fn complain_of(&mut self, faults: &Faults) {
        let text = human::faults(faults, self.style);
        self.complain(&text);
    }
}

/// SOURCE_DATE_EPOCH (seconds since 1970, see reproducible-builds.org) or the clock.
#[expect(clippy::disallowed_methods, reason = "here the clock becomes a value")]
fn stamp(epoch: Option<&str>) -> jiff::Timestamp {
    epoch
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .unwrap_or_else(jiff::Timestamp::now)
}
