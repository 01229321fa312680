//! `use`s to a fixpoint.

use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap as HashMap;

use crate::scan::index::{Def, Index, ModuleId};

use super::lookup::{Extern, GlobUse, Slots};

/// Re-exports of re-exports are rarely five deep; a cycle never ends.
const MOST_ROUNDS: usize = 24;

/// Resolves every import of every module as far as the workspace shows.
pub(super) fn resolve(index: &mut Index) {
    index.externs = externs(index);
    // A first name that is unknown may yet come through a glob: only what stays unknown leads outside.
    settle(index, false);
    settle(index, true);
    external_globs(index);
}

/// Names of crates in code, by package.
fn externs(index: &Index) -> Vec<HashMap<String, Extern>> {
    let libraries = libraries(index);
    let by_folder: HashMap<&str, usize> =
        index.packages.iter().enumerate().map(|(at, package)| (package.folder.as_str(), at)).collect();
    let mut externs = Vec::with_capacity(index.packages.len());
    for (at, package) in index.packages.iter().enumerate() {
        let mut names = HashMap::default();
        for (code, name) in &package.dependencies {
            let local = package.local.get(code).and_then(|folder| by_folder.get(folder.as_str()));
            let found = local.and_then(|local| Some((*local, *libraries.get(local)?)));
            match found {
                Some((local, root)) => {
                    // Without a rename the code says the library's name, which need not be the package's.
                    if *code == name.replace('-', "_") {
                        names.insert(index.packages[local].library.clone(), Extern::Local(root));
                    }
                    names.insert(code.clone(), Extern::Local(root));
                }
                None => {
                    names.insert(code.clone(), Extern::Outside(name.replace('-', "_").into()));
                }
            }
        }
        if let Some(root) = libraries.get(&at) {
            names.insert(package.library.clone(), Extern::Local(*root));
        }
        externs.push(names);
    }
    externs
}

/// The root module of each package that has a library.
fn libraries(index: &Index) -> HashMap<usize, ModuleId> {
    let mut roots = HashMap::default();
    for (at, module) in index.modules.iter().enumerate() {
        let root =
            index.packages.get(module.package).filter(|package| package.has_library).and_then(|p| p.roots.first());
        let here = index.files.get(module.file).map(|file| file.source.name());
        if module.parent.is_none() && root.is_some_and(|root| Some(root.as_str()) == here) {
            roots.entry(module.package).or_insert(ModuleId(u32::try_from(at).unwrap_or(u32::MAX)));
        }
    }
    roots
}

/// Goes round until nothing more is learnt. `last`: what is unknown now leads outside. An import that leads
/// somewhere and learnt nothing in a round is left alone from then on.
fn settle(index: &mut Index, last: bool) {
    let mut open = unresolved(index);
    for _ in 0..MOST_ROUNDS {
        let found: Vec<Option<Slots>> = open.par_iter().map(|place| target(index, place, last)).collect();
        let mut learnt = false;
        let mut found = found.into_iter();
        open.retain(|place| {
            let found = found.next().flatten();
            let leads = found.as_ref().is_some_and(|slots| !slots.is_empty());
            let full = found.as_ref().is_some_and(Slots::is_full);
            let new = set(index, place, found);
            learnt |= new;
            !full && (new || !leads)
        });
        if !learnt {
            return;
        }
    }
}

/// Names an import: its module, and its place among the globs or among the others.
struct Place {
    module: ModuleId,
    glob: bool,
    at: usize,
}

fn unresolved(index: &Index) -> Vec<Place> {
    let mut places = Vec::new();
    for (id, scope) in index.scopes.iter().enumerate() {
        let module = ModuleId(u32::try_from(id).unwrap_or(u32::MAX));
        let globs = scope.globs.iter().enumerate().filter(|(_, glob)| glob.target.is_none());
        places.extend(globs.map(|(at, _)| Place { module, glob: true, at }));
        let open = scope.uses.list.iter().enumerate().filter(|(_, import)| !import.slots.is_full());
        places.extend(open.map(|(at, _)| Place { module, glob: false, at }));
    }
    places
}

fn target(index: &Index, place: &Place, last: bool) -> Option<Slots> {
    let scope = index.scopes.get(place.module.0 as usize)?;
    let import = match place.glob {
        true => &scope.globs.get(place.at)?.import,
        false => &scope.uses.list.get(place.at)?.import,
    };
    index.walk_import(place.module, import, last)
}

fn set(index: &mut Index, place: &Place, found: Option<Slots>) -> bool {
    let (Some(found), Some(scope)) = (found, index.scopes.get_mut(place.module.0 as usize)) else { return false };
    if place.glob {
        let Some(glob) = scope.globs.get_mut(place.at) else { return false };
        let learnt = glob.target != found.types;
        glob.target = found.types;
        return learnt;
    }
    scope.uses.list.get_mut(place.at).is_some_and(|import| {
        let learnt = import.slots != found;
        import.slots = found;
        learnt
    })
}

/// What comes from outside through globs, those of other modules included.
fn external_globs(index: &mut Index) {
    for _ in 0..MOST_ROUNDS {
        let mut learnt = false;
        for at in 0..index.scopes.len() {
            let id = ModuleId(u32::try_from(at).unwrap_or(u32::MAX));
            let mut paths: Vec<Arc<str>> = index.scopes[at].external_globs.clone();
            let before = paths.len();
            for glob in &index.scopes[at].globs {
                add_glob(index, id, glob, &mut paths);
            }
            let entry = &index.modules[at];
            if let Some(parent) = entry.parent.filter(|_| entry.block) {
                paths.extend(index.scopes[parent.0 as usize].external_globs.iter().cloned());
            }
            paths.sort_by(|a, b| a.split("::").cmp(b.split("::")));
            paths.dedup();
            learnt |= paths.len() != before;
            index.scopes[at].external_globs = paths;
        }
        if !learnt {
            return;
        }
    }
}

fn add_glob(index: &Index, from: ModuleId, glob: &GlobUse, paths: &mut Vec<Arc<str>>) {
    match &glob.target {
        Some(Def::External(path)) => paths.push(path.clone()),
        Some(Def::Module(inner)) => {
            let inside = index.is_inside(from, *inner);
            let visible = index.scopes[inner.0 as usize].globs.iter().filter(|glob| inside || glob.public);
            for glob in visible {
                match &glob.target {
                    Some(Def::External(path)) => paths.push(path.clone()),
                    Some(Def::Module(further)) => {
                        paths.extend(index.scopes[further.0 as usize].external_globs.iter().cloned());
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}
