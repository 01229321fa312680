//! `unread-file`

use crate::diagnostic::{Finding, Label, Level};
use crate::rule::{Domain, Rule};
use crate::scan::rules::{Context, Found};

/// A file that could not be read as Rust.
pub(super) static RULE: Rule = Rule {
    name: "unread-file",
    level: Level::Error,
    domain: Domain::Code,
    page: include_str!("../../../lints/rules/unread-file.md"),
};

pub(super) fn run(context: &Context<'_, '_, '_>) -> Vec<Found> {
    let files = &context.guards.types.index.files;
    let told = files.iter().filter_map(|file| {
        let unread = file.unread.as_ref()?;
        let message = format!("this file could not be read, so nothing is known of it: {}", unread.reason);
        let finding =
            Finding::new(RULE.name, RULE.level, message, Label::new(&file.source, unread.span, "stopped here"))
                .with_help("mend it, or leave it out with `[scan] exclude` if it is no part of the program")
                .with_subject("file");
        Some(Found { finding, function: String::new() })
    });
    told.collect()
}
