//! A crate that depends on everything that the catalog knows.

use std::collections::HashMap;

use onlyonce::catalog::Catalog;
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::ir::Operation;
use onlyonce::scan::summary::documents::operations;
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Scan, sinks};
use onlyonce::source::Source;

/// Scans the files of one program by name; the first is its root.
pub(crate) fn scanned(files: &[(&str, String)]) -> Scan {
    scanned_together(&[("", files)])
}

/// The GraphQL documents that a case describes: lines `// document name: text`, by the name of the file.
fn documents(folder: &str, text: &str) -> Vec<(String, Vec<Operation>)> {
    let written = text.lines().filter_map(|line| line.strip_prefix("// document ")?.split_once(": "));
    written.map(|(name, text)| (format!("{folder}{name}"), operations(text))).collect()
}

/// Scans programs beside each other, each in its folder.
pub(crate) fn scanned_together(programs: &[(&str, &[(&str, String)])]) -> Scan {
    let dependencies = dependencies();
    let package = |folder: &str, root: &str| Package {
        name: "case".into(),
        library: "case".into(),
        folder: folder.into(),
        dependencies: dependencies.clone(),
        roots: vec![format!("{folder}{root}")],
        ..Package::default()
    };
    let packages = programs.iter().map(|(folder, files)| package(folder, files[0].0)).collect();
    let files = programs.iter().flat_map(|(folder, files)| files.iter().map(move |file| (folder, file)));
    let read = |(folder, (name, text)): (&&str, &(&str, String))| {
        let summary = summarise(Source::new(format!("{folder}{name}"), text.as_str()));
        assert_eq!(summary.unread, None, "{text}");
        summary
    };
    let mut index = Index::build(packages, files.clone().map(read).collect());
    index.documents = files.flat_map(|(folder, (_, text))| documents(folder, text)).collect();
    Scan::of(index, Catalog::embedded(), &sinks::Settings::default(), &|_| {})
}

fn dependencies() -> HashMap<String, String> {
    let mut dependencies = HashMap::from(
        [("reqwest_0_12", "reqwest"), ("progenitor", "progenitor"), ("stripe_core", "stripe_core")]
            .map(|(name, package)| (name.to_owned(), package.to_owned())),
    );
    for entry in &Catalog::embedded().crates {
        // A library that is not named like its package is the key that Cargo.toml would not have.
        dependencies.extend(entry.library_names().map(|library| (library.clone(), library)));
    }
    dependencies
}
