//! A first manifest from what is found: each outbound write becomes an action type, each webhook handler whose
//! sender can be guessed a source of events.
//!
//! Only people know what makes two acts the same. Where they have to say it, the draft holds a text that starts
//! with [`BLANK`]; such a manifest does not load, and every blank is reported at its place. Once they are filled,
//! the draft loads.

mod action;
mod inbound;

use std::collections::BTreeSet;
use std::path::Path;

use crate::catalog::Catalog;
use crate::diagnostic::Fault;
use crate::files::OutputFile;
use crate::manifest::{BLANK, LAYOUTS, Layout, type_name};
use crate::scan::index::{FnEntry, Index, Package};
use crate::scan::site::Site;

/// What a draft is made from.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Every name of the code.
    pub index: &'a Index,
    /// Its outbound calls.
    pub sites: &'a [Site],
    /// Which crates are known.
    pub catalog: &'a Catalog,
    /// Folder of the migrations, relative to the manifest, with `/`.
    pub migrations: &'a str,
    /// The tool that the folder was told to belong to, and why.
    pub tool: Option<(Layout, &'a str)>,
}

/// A drafted manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The file.
    pub file: OutputFile,
    /// How many blanks a person has to fill in.
    pub blanks: usize,
    /// How many action types it declares.
    pub actions: usize,
    /// How many sources of events it declares.
    pub sources: usize,
}

/// Drafts the manifest that is to stand at `path`.
///
/// # Errors
/// When something stands there already: a draft never overwrites.
pub fn draft(path: &Path, found: &Found<'_>) -> Result<Draft, Fault> {
    if path.symlink_metadata().is_ok() {
        return Err(Fault::new(format!("{} is there already", path.display()))
            .with_help("a draft never overwrites; remove the file first to draft anew, or run `onlyonce check`"));
    }
    let actions = action::draft_all(found);
    let sources = inbound::draft_all(found.index);
    let mut text = head(found);
    text.push_str(&actions.concat());
    if actions.is_empty() {
        text.push_str("\n# No outbound call was found: declare each kind of act in an [action.<name>].\n");
    }
    text.push_str(&sources.concat());
    text.push_str(&generate(found.index));
    let blanks = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.matches(BLANK).count()).sum();
    Ok(Draft { file: OutputFile::new(path, text), blanks, actions: actions.len(), sources: sources.len() })
}

fn head(found: &Found<'_>) -> String {
    let (layout, why) = match found.tool {
        Some((layout, why)) => (quoted(layout.name()), format!("  # told from the folder: {}", comment(why))),
        None => {
            let names = LAYOUTS.map(Layout::name).join(", ");
            (quoted(&format!("{BLANK}: the migration tool, one of {names}")), String::new())
        }
    };
    format!(
        "# Drafted by `onlyonce init` from the code. Each text that starts with {BLANK} is yours to write:\n\
         # only people know what makes two acts the same. Then run `onlyonce emit`.\n\
         version = 1\n\n[schema]\nname = \"onlyonce\"\nmigrations = {}\nlayout = {layout}{why}\n",
        quoted(found.migrations),
    )
}

/// `[generate]` for the package that the code's root belongs to, or the first one that has a library or program.
fn generate(index: &Index) -> String {
    let own = |package: &&Package| package.folder.is_empty() && !package.roots.is_empty();
    let package =
        index.packages.iter().find(own).or_else(|| index.packages.iter().find(|package| !package.roots.is_empty()));
    let folder = package.map(|package| package.folder.as_str()).filter(|folder| !folder.is_empty());
    let path = match folder {
        Some(folder) => format!("{folder}/src/onlyonce.rs"),
        None => "src/onlyonce.rs".to_owned(),
    };
    let uses = |name: &str| index.packages.iter().any(|package| package.dependencies.values().any(|used| used == name));
    let client = if uses("tokio-postgres") && !uses("sqlx") { "tokio-postgres" } else { "sqlx" };
    let errors = if uses("reqwest") { "errors = [\"reqwest\"]\n" } else { "" };
    format!("\n[generate]\npath = {}\nclient = \"{client}\"\n{errors}", quoted(&path))
}

/// Names that are taken, and the Rust types that they become.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// The first of the wishes that is free, or the last one with a number.
    fn take(&mut self, wishes: &[String]) -> String {
        let last = wishes.last().cloned().unwrap_or_default();
        let numbered = (2..).map(|number| format!("{last}_{number}"));
        let mut all = wishes.iter().cloned().chain(numbered);
        // Two names may be one type; endless numbers always hold a free one.
        all.find(|name| self.0.insert(type_name(name))).unwrap_or(last)
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A text that stays on its comment's line.
fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// `src/ops.rs:41 in acme::ops::page_on_call`.
fn place(index: &Index, function: &FnEntry, start: usize) -> String {
    match index.files.get(function.file) {
        Some(file) => {
            comment(&format!("{}:{} in {}", file.source.name(), file.source.position(start).line, function.path))
        }
        None => comment(&function.path),
    }
}

#[cfg(test)]
mod tests;
