//! The team's migrations and what else its database needs, into the database of a run. Blocks.

use std::fs;
use std::path::Path;

use postgres::Client;

use crate::chaos::plan::DatabasePlan;
use crate::chaos::server::said;
use crate::diagnostic::Fault;
use crate::files::cannot;
use crate::manifest::Layout;
use crate::migration::folder::{self, Folder};
use crate::source::{Source, Span};
use crate::sql::split::split;

/// What tools write into a migration that must not run in a transaction.
const ALONE: [&str; 3] = ["no-transaction", "transaction:false", "no transaction"];

/// Applies everything, in order.
pub(super) fn apply(plan: &DatabasePlan, client: &mut Client) -> Result<(), Fault> {
    if let Some((folder, layout)) = &plan.migrations {
        migrate(folder, *layout, client)?;
    }
    for file in &plan.setup {
        let text = fs::read_to_string(file).map_err(|error| cannot("read", file, &error))?;
        let source = Source::new(file.display().to_string(), text.as_str());
        run(&source, &[Span::new(0, text.len())], client)?;
    }
    Ok(())
}

fn migrate(folder: &Path, layout: Layout, client: &mut Client) -> Result<(), Fault> {
    let entries = folder::entries(folder)?;
    let found = Folder::read(layout, folder, &entries);
    if found.migrations.is_empty() {
        return Err(Fault::new(format!("there is no migration in {}", folder.display()))
            .with_help("name the folder under [database] migrations, and its layout"));
    }
    found.migrations.iter().try_for_each(|migration| run(&migration.source, &migration.up, client))
}

/// Runs a file in one transaction, or statement by statement where it says that it must not be in one.
fn run(source: &Source, parts: &[Span], client: &mut Client) -> Result<(), Fault> {
    let text = source.text();
    let statements: Vec<&str> =
        parts.iter().flat_map(|span| split(text, *span).statements).map(|statement| source.slice(statement)).collect();
    let head: String = text.lines().take(10).collect::<Vec<_>>().join("\n").to_ascii_lowercase();
    let done = if ALONE.iter().any(|mark| head.contains(mark)) {
        statements.iter().try_for_each(|statement| client.batch_execute(statement))
    } else {
        client.batch_execute(&statements.join(";\n"))
    };
    done.map_err(|error| {
        Fault::new(format!("{} could not be applied: {}", source.name(), said(&error))).with_help(
            "it is applied to a fresh database: does it need roles, extensions or rows that [database] setup can make",
        )
    })
}
