//! `Cargo.toml`s -> packages.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use toml::{Table, Value};

use crate::scan::discover::{File, Kind};
use crate::scan::index::{Package, join};
use crate::scan::ir::Unread;
use crate::source::Span;

/// A package, and the files of its other targets.
pub(super) struct Found {
    pub(super) package: Package,
    /// Roots of targets that are no code.
    others: HashMap<String, Kind>,
}

/// What of a manifest says which targets there are.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Manifest {
    package: Option<Table>,
    lib: Option<Target>,
    bin: Vec<Target>,
    test: Vec<Target>,
    bench: Vec<Target>,
    example: Vec<Target>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Target {
    name: Option<String>,
    path: Option<String>,
}

/// A manifest as a table, with the folder that it stands in.
struct Document<'f> {
    file: &'f File,
    folder: String,
    table: Table,
}

/// Packages by folder, and the manifests that cannot be read. `known` are the names of all Rust files.
pub(super) fn read(manifests: &[File], known: &HashSet<&str>) -> (Vec<Found>, Vec<File>) {
    let (mut documents, mut broken) = (Vec::new(), Vec::new());
    for file in manifests {
        match document(file) {
            Ok(document) => documents.push(document),
            Err(unread) => broken.push(File { unread: Some(unread), ..file.clone() }),
        }
    }
    let folders: HashSet<&str> = documents.iter().map(|document| document.folder.as_str()).collect();
    let mut found: Vec<Found> = Vec::new();
    for document in &documents {
        match package(document, &documents, known, &folders) {
            Ok(package) => found.extend(package),
            Err(reason) => {
                let unread = Unread { reason, span: Span::default() };
                broken.push(File { unread: Some(unread), ..document.file.clone() });
            }
        }
    }
    found.sort_by(|a, b| a.package.folder.cmp(&b.package.folder));
    (found, broken)
}

fn document(file: &File) -> Result<Document<'_>, Unread> {
    if let Some(unread) = &file.unread {
        return Err(unread.clone());
    }
    let table = file.source.text().parse::<Table>().map_err(|error| Unread {
        reason: error.message().to_owned(),
        span: error.span().map(Span::from).unwrap_or_default(),
    })?;
    let folder = file.source.name().strip_suffix("Cargo.toml").unwrap_or_default().trim_end_matches('/');
    Ok(Document { file, folder: folder.to_owned(), table })
}

/// `None` for a workspace without a package.
fn package(
    document: &Document,
    documents: &[Document],
    known: &HashSet<&str>,
    folders: &HashSet<&str>,
) -> Result<Option<Found>, String> {
    let manifest =
        Manifest::deserialize(Value::Table(document.table.clone())).map_err(|error| error.message().to_owned())?;
    let Some(head) = &manifest.package else { return Ok(None) };
    let Some(name) = head.get("name").and_then(Value::as_str) else {
        return Err("the package has no name".to_owned());
    };
    let folder = document.folder.as_str();
    let library_name = manifest.lib.as_ref().and_then(|lib| lib.name.as_deref()).unwrap_or(name);
    let library_path = manifest.lib.as_ref().and_then(|lib| lib.path.as_deref()).unwrap_or("src/lib.rs");
    let library = Some(join(folder, library_path)).filter(|path| known.contains(path.as_str()));
    let programs = programs(folder, &manifest.bin, known);
    let workspace = workspace(document, documents);
    let mut package = Package {
        name: name.to_owned(),
        library: in_code(library_name),
        folder: folder.to_owned(),
        has_library: library.is_some(),
        roots: library.into_iter().chain(programs).collect(),
        ..Package::default()
    };
    for (key, value) in dependencies(&document.table) {
        depend(&mut package, key, value, document, workspace, folders);
    }
    Ok(Some(Found { others: others(folder, head, &manifest), package }))
}

/// Roots of programs: those that are named, then those that stand where cargo looks.
fn programs(folder: &str, named: &[Target], known: &HashSet<&str>) -> Vec<String> {
    let mut roots: Vec<String> = Vec::new();
    for target in named {
        let name = target.name.as_deref().unwrap_or_default();
        let usual = [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs"), "src/main.rs".to_owned()];
        let paths = target.path.iter().chain(usual.iter().filter(|_| target.path.is_none()));
        roots.extend(paths.map(|path| join(folder, path)).find(|path| known.contains(path.as_str())));
    }
    let (main, bin) = (join(folder, "src/main.rs"), join(folder, "src/bin/"));
    let mut usual: Vec<String> = known
        .iter()
        .filter(|path| {
            let Some(rest) = path.strip_prefix(bin.as_str()) else { return **path == main };
            !rest.contains('/') || rest.matches('/').count() == 1 && rest.ends_with("/main.rs")
        })
        .map(|path| (*path).to_owned())
        .collect();
    usual.sort();
    for root in usual {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

fn others(folder: &str, head: &Table, manifest: &Manifest) -> HashMap<String, Kind> {
    let lists = [(&manifest.test, Kind::Test), (&manifest.bench, Kind::Bench), (&manifest.example, Kind::Example)];
    let named = lists.into_iter().flat_map(|(list, kind)| list.iter().map(move |target| (target, kind)));
    let mut others: HashMap<String, Kind> =
        named.filter_map(|(target, kind)| Some((join(folder, target.path.as_deref()?), kind))).collect();
    let script = match head.get("build") {
        Some(Value::String(path)) => Some(path.as_str()),
        Some(Value::Boolean(false)) => None,
        _ => Some("build.rs"),
    };
    others.extend(script.map(|path| (join(folder, path), Kind::BuildScript)));
    others
}

/// What a file is for, by the package that holds it. Without a package the folders' names decide.
pub(super) fn kind(packages: &[Found], name: &str) -> Kind {
    let inside =
        |folder: &str| folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let holder =
        packages.iter().filter(|found| inside(&found.package.folder)).max_by_key(|found| found.package.folder.len());
    let folder = holder.map_or("", |found| found.package.folder.as_str());
    if let Some(holder) = holder {
        if holder.package.roots.iter().any(|root| root == name) {
            return Kind::Code;
        }
        if let Some(kind) = holder.others.get(name) {
            return *kind;
        }
    }
    let rest = name.strip_prefix(folder).unwrap_or(name).trim_start_matches('/');
    match rest.split_once('/').map(|(first, _)| first) {
        Some("tests") => Kind::Test,
        Some("benches") => Kind::Bench,
        Some("examples") => Kind::Example,
        _ => Kind::Code,
    }
}

/// Every kind of dependency table: plain, dev, build, and those of targets.
fn dependencies(table: &Table) -> Vec<(&str, &Value)> {
    const KINDS: [&str; 5] =
        ["build-dependencies", "build_dependencies", "dependencies", "dev-dependencies", "dev_dependencies"];
    let targets = table.get("target").and_then(Value::as_table);
    let tables =
        std::iter::once(table).chain(targets.iter().flat_map(|targets| targets.values()).filter_map(Value::as_table));
    tables
        .flat_map(|table| KINDS.iter().filter_map(|kind| table.get(*kind)?.as_table()))
        .flat_map(|table| table.iter().map(|(key, value)| (key.as_str(), value)))
        .collect()
}

/// The manifest of the workspace that a package belongs to: named by it, or the nearest one above.
fn workspace<'d, 'f>(document: &'d Document<'f>, documents: &'d [Document<'f>]) -> Option<&'d Document<'f>> {
    let named = document.table.get("package").and_then(|package| package.get("workspace")).and_then(Value::as_str);
    let named = named.map(|path| join(&document.folder, path));
    let above = |folder: &str| folder.is_empty() || format!("{}/", document.folder).starts_with(&format!("{folder}/"));
    documents
        .iter()
        .filter(|other| other.table.contains_key("workspace"))
        .filter(|other| named.as_ref().map_or_else(|| above(&other.folder), |named| *named == other.folder))
        .max_by_key(|other| other.folder.len())
}

/// Adds one dependency: what its name in code stands for, and the folder of a package beside this one.
fn depend(
    package: &mut Package,
    key: &str,
    value: &Value,
    document: &Document,
    workspace: Option<&Document>,
    folders: &HashSet<&str>,
) {
    let inherited = value.get("workspace").and_then(Value::as_bool).unwrap_or(false);
    let shared = workspace
        .filter(|_| inherited)
        .and_then(|workspace| Some((workspace, workspace.table.get("workspace")?.get("dependencies")?.get(key)?)));
    let (holder, value) = shared.unwrap_or((document, value));
    let name = value.get("package").and_then(Value::as_str).unwrap_or(key);
    let path = value.get("path").and_then(Value::as_str).map(|path| join(&holder.folder, path));
    let root = workspace.unwrap_or(document);
    let folder = path.or_else(|| patched(root, name)).filter(|folder| folders.contains(folder.as_str()));
    let code = in_code(key);
    if let Some(folder) = folder {
        package.local.insert(code.clone(), folder);
    }
    package.dependencies.insert(code, name.to_owned());
}

/// The folder that `[patch]` puts in a registry's place.
fn patched(root: &Document, name: &str) -> Option<String> {
    let registries = root.table.get("patch")?.as_table()?;
    let path = |registry: &Value| {
        let entries = registry.as_table()?.iter();
        let mut entries =
            entries.filter(|(key, value)| value.get("package").and_then(Value::as_str).unwrap_or(key.as_str()) == name);
        entries.find_map(|(_, value)| Some(value.get("path")?.as_str()?.to_owned()))
    };
    registries.values().find_map(path).map(|path| join(&root.folder, &path))
}

/// A name as code writes it.
fn in_code(name: &str) -> String {
    name.replace('-', "_")
}
