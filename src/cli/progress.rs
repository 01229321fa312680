//! A scan with its stages shown on a terminal, once it has taken longer than people wait without wondering.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Page;
use crate::diagnostic::{Fault, Faults};
use crate::manifest::Manifest;
use crate::report::human::plural;
use crate::scan::examine::{self, Asked, Examined};
use crate::scan::{self, Scan, Settings, Stage};

/// How long nothing is shown: most scans are over by then.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);

/// Scans a folder with the catalog that is built in.
pub(super) fn scan(page: &Page<'_>, root: &Path, settings: &Settings) -> Result<Scan, Faults> {
    let catalog = settings.catalog();
    shown(page, |progress| scan::scan(root, &catalog, settings, progress))
}

/// Scans and judges a folder with the catalog that is built in and what the team adds to it.
pub(super) fn examine(
    page: &mut Page<'_>,
    root: &Path,
    settings: &Settings,
    manifest: Option<&Manifest>,
) -> Result<Examined, Faults> {
    let catalog = settings.catalog();
    let asked = Asked { catalog: &catalog, settings, manifest, today: page.today() };
    let found = shown(page, |progress| examine::examine(root, &asked, progress))?;
    if let Some(cache) = &settings.cache {
        page.murmur(&format!("{} found in the cache", plural(cache.known(), "entry")));
    }
    Ok(found)
}

/// Does work of which the stages are shown once it has taken longer than people wait without wondering.
fn shown<T: Send>(
    page: &Page<'_>,
    work: impl FnOnce(&(dyn Fn(Stage) + Sync)) -> Result<T, Fault>,
) -> Result<T, Faults> {
    if !page.shows_progress() {
        return Ok(work(&|_| {})?);
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(ProgressStyle::default_spinner());
    let (done, waiting) = mpsc::channel::<()>();
    let bar = &bar;
    let found = std::thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(TICK);
            }
        });
        let found = work(&|stage| bar.set_message(words(stage)));
        drop(done);
        found
    });
    bar.finish_and_clear();
    Ok(found?)
}

fn words(stage: Stage) -> String {
    match stage {
        Stage::Discover => "looking for files".to_owned(),
        Stage::Parse(files) => format!("reading {}", plural(files, "file")),
        Stage::Link => "resolving names".to_owned(),
        Stage::Calls => "following calls".to_owned(),
        Stage::Sinks => "looking for outbound calls".to_owned(),
    }
}
