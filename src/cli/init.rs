//! `init [PATH]`: a first manifest from the outbound calls and migrations that are found.

use std::path::{Path, PathBuf};

use crate::catalog::Catalog;
use crate::cli::{Exit, Page, progress};
use crate::diagnostic::{Fault, Faults};
use crate::files;
use crate::init::{self, Draft, Found};
use crate::manifest::{self, Layout};
use crate::migration::{layout, tell};
use crate::report::human::plural;
use crate::scan::Settings;

/// What `init` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to read; the manifest is drafted there
    #[arg(default_value = ".")]
    path: PathBuf,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let root = page.path(&args.path);
    let scan = progress::scan(page, &root, &Settings::default())?;
    let judged = scan.judge(Catalog::embedded(), None, page.today());
    let told = tool(&root);
    if scan.index.files.is_empty() && told.is_none() {
        let shown = page.shown(&root);
        return Err(Fault::new(format!("there is neither Rust code nor a folder of migrations in {shown}"))
            .with_help("name the folder of your code: `onlyonce init PATH`")
            .into());
    }
    let found = Found {
        index: &scan.index,
        sites: &judged.sites,
        catalog: Catalog::embedded(),
        migrations: told.as_ref().map_or("migrations", |told| told.folder),
        tool: told.as_ref().map(|told| (told.layout, told.reason.as_str())),
    };
    let draft = init::draft(&root.join(manifest::FILE_NAME), &found)?;
    files::write_all(std::slice::from_ref(&draft.file))?;
    page.tell(&summary(&draft, &page.shown(&draft.file.path)));
    Ok(Exit::Clean)
}

/// A migrations folder and the tool that it belongs to.
struct Told {
    folder: &'static str,
    layout: Layout,
    reason: String,
}

/// The first of the folders where tools look that belongs to one.
fn tool(root: &Path) -> Option<Told> {
    layout::ALL.iter().find_map(|layout| {
        let folder = layout.spec().folder.as_str();
        let (layout, reason) = tell::tell(&root.join(folder))?;
        Some(Told { folder, layout, reason })
    })
}

fn summary(draft: &Draft, shown: &str) -> String {
    let drafted =
        format!("wrote {shown}: {}, {}", plural(draft.actions, "action type"), plural(draft.sources, "event source"));
    match draft.blanks {
        0 => drafted,
        blanks => format!(
            "{drafted}\nfill in the {} marked `{}`, then run `onlyonce emit`",
            plural(blanks, "place"),
            manifest::BLANK
        ),
    }
}
