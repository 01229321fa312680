//! Which file is which module: from each target's root along `mod`, then the files that none of them reaches.

use std::collections::VecDeque;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap as HashMap;

use crate::scan::index::{Index, ModuleEntry, ModuleId, Package, Read, join};
use crate::scan::ir::{FileSummary, Item};

use super::lookup::Scope;

/// Walks the files and fills the index's tables.
pub(super) struct Walk<'i> {
    pub(super) index: &'i mut Index,
    read: Read<'i>,
    by_name: HashMap<String, usize>,
    /// The module of each file that was reached.
    modules: Vec<Option<ModuleId>>,
    /// Files of code yet to be read, then those that only tests reach: what both reach is code.
    code: VecDeque<Load>,
    tests: VecDeque<Load>,
}

/// A file that is to be read as a module.
struct Load {
    file: usize,
    module: ModuleId,
    /// Where the files of its `mod`s are: `src/a` of `src/a.rs`, `src` of `src/a/mod.rs`' parent.
    folder: String,
}

/// Where items stand.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) module: ModuleId,
    pub(super) file: usize,
    /// Where the files of `mod`s are.
    pub(super) folder: String,
    /// Whether an inline module surrounds: `#[path]` then counts from `folder`.
    pub(super) inline: bool,
    pub(super) test: bool,
}

impl<'i> Walk<'i> {
    pub(super) fn new(index: &'i mut Index, read: Read<'i>) -> Walk<'i> {
        let by_name: HashMap<String, usize> =
            index.files.iter().enumerate().map(|(at, file)| (file.source.name().to_owned(), at)).collect();
        let modules = vec![None; index.files.len()];
        Walk { index, read, by_name, modules, code: VecDeque::new(), tests: VecDeque::new() }
    }

    pub(super) fn run(mut self) {
        self.roots();
        self.drain();
        let unreached = self.unreached();
        self.read_all(&unreached);
        for file in unreached {
            self.adopt(file);
            self.drain();
        }
    }

    /// Nothing leads to these files, no test either: those that wait are read, on all cores.
    fn read_all(&mut self, files: &[usize]) {
        let known = &mut self.index.files;
        let waiting: Vec<usize> = files.iter().copied().filter(|file| known[*file].waits).collect();
        let summaries: Vec<FileSummary> = waiting.iter().map(|file| std::mem::take(&mut known[*file])).collect();
        let read: Vec<FileSummary> = summaries.into_par_iter().map(self.read).collect();
        waiting.into_iter().zip(read).for_each(|(file, summary)| known[file] = summary);
    }

    /// The items of a file, taken out of it.
    fn items_of(&mut self, file: usize) -> Vec<Item> {
        if self.index.files[file].waits {
            self.index.files[file] = (self.read)(std::mem::take(&mut self.index.files[file]));
        }
        std::mem::take(&mut self.index.files[file].items)
    }

    fn roots(&mut self) {
        let roots: Vec<(usize, String, Vec<String>)> = (self.index.packages.iter().enumerate())
            .flat_map(|(at, package)| package.roots.iter().map(move |root| (at, root, package)))
            .map(|(at, root, package)| (at, root.clone(), vec![crate_name(package, root)]))
            .collect();
        for (package, root, path) in roots {
            let Some(&file) = self.by_name.get(&root) else { continue };
            if self.modules[file].is_none() {
                let module = self.add_module(None, file, path, package, true, self.index.files[file].test);
                self.load(file, module, folder_of(&root).to_owned());
            }
        }
    }

    /// Files that no target reaches, those first that may lead to others.
    fn unreached(&self) -> Vec<usize> {
        let mut files: Vec<usize> = (0..self.modules.len()).filter(|file| self.modules[*file].is_none()).collect();
        let name = |file: &usize| self.index.files[*file].source.name();
        files.sort_by_key(|file| {
            // A `mod.rs` or `lib.rs` at the very top has no folder to count off.
            let depth = name(file).matches('/').count().saturating_sub(usize::from(is_folder_module(name(file))));
            (depth, !is_folder_module(name(file)), name(file).to_owned())
        });
        files
    }

    /// A file that nothing leads to becomes a module of its own, inside the crate whose folder holds it.
    fn adopt(&mut self, file: usize) {
        if self.modules[file].is_some() {
            return;
        }
        let name = self.index.files[file].source.name().to_owned();
        let holder = holder(&self.index.packages, &name);
        let root = holder.and_then(|at| self.index.packages[at].roots.first());
        let parent = root.and_then(|root| self.modules[*self.by_name.get(root)?]);
        let mut path: Vec<String> = holder.map(|at| self.index.packages[at].library.clone()).into_iter().collect();
        let folder = holder.map_or("", |at| self.index.packages[at].folder.as_str());
        let inner = name.strip_prefix(folder).unwrap_or(&name).trim_start_matches('/').trim_end_matches(".rs");
        path.extend(inner.split('/').filter(|part| !matches!(*part, "src" | "mod")).map(str::to_owned));
        let test = self.index.files[file].test;
        let module = self.add_module(parent, file, path, holder.unwrap_or(usize::MAX), false, test);
        self.load(file, module, children_folder(&name));
    }

    fn drain(&mut self) {
        while let Some(load) = self.code.pop_front().or_else(|| self.tests.pop_front()) {
            let test = self.index.module(load.module).test;
            let items =
                if test { std::mem::take(&mut self.index.files[load.file].items) } else { self.items_of(load.file) };
            let place = Place { module: load.module, file: load.file, folder: load.folder, inline: false, test };
            self.collect(&place, items);
        }
    }

    fn load(&mut self, file: usize, module: ModuleId, folder: String) {
        self.modules[file] = Some(module);
        let queue = if self.index.module(module).test { &mut self.tests } else { &mut self.code };
        queue.push_back(Load { file, module, folder });
    }

    pub(super) fn add_module(
        &mut self,
        parent: Option<ModuleId>,
        file: usize,
        path: Vec<String>,
        package: usize,
        reached: bool,
        test: bool,
    ) -> ModuleId {
        let id = ModuleId(u32::try_from(self.index.modules.len()).unwrap_or(u32::MAX));
        self.index.modules.push(ModuleEntry { path, parent, block: false, reached, file, test, package });
        self.index.scopes.push(Scope::default());
        id
    }

    /// A module below another.
    pub(super) fn add_child(&mut self, place: &Place, file: usize, name: &str, test: bool) -> ModuleId {
        let above = self.index.module(place.module);
        let (package, reached) = (above.package, above.reached);
        let path = above.path.iter().cloned().chain([name.to_owned()]).collect();
        self.add_module(Some(place.module), file, path, package, reached, test)
    }

    /// `mod name;`: the module of its file, new or already known. Without a file the module is empty: a macro
    /// or a build script may make it.
    pub(super) fn file_module(&mut self, place: &Place, name: &str, written: Option<&str>, test: bool) -> ModuleId {
        let here = self.index.files[place.file].source.name().to_owned();
        let candidates = match written {
            Some(path) if place.inline => vec![join(&place.folder, path)],
            Some(path) => vec![join(folder_of(&here), path)],
            None => {
                let inside = join(&place.folder, name);
                vec![format!("{inside}.rs"), format!("{inside}/mod.rs")]
            }
        };
        let Some(file) = candidates.iter().find_map(|path| self.by_name.get(path).copied()) else {
            let made = self.add_child(place, place.file, name, test);
            self.index.scopes[made.0 as usize].open = true;
            return made;
        };
        if let Some(known) = self.modules[file] {
            self.promote(known, file, test);
            return known;
        }
        let test = test || self.index.files[file].test;
        let module = self.add_child(place, file, name, test);
        let path = self.index.files[file].source.name().to_owned();
        // A file that `#[path]` names counts as `mod.rs`.
        let folder = if written.is_some() { folder_of(&path).to_owned() } else { children_folder(&path) };
        self.load(file, module, folder);
        module
    }

    /// A file that waits as a test's and is code's too.
    fn promote(&mut self, module: ModuleId, file: usize, test: bool) {
        if test || self.index.files[file].test {
            return;
        }
        if let Some(at) = self.tests.iter().position(|load| load.module == module)
            && let Some(load) = self.tests.remove(at)
        {
            self.index.modules[module.0 as usize].test = false;
            self.code.push_back(load);
        }
    }

    /// `include!("file")`: its items, taken out of it, and where they stand.
    pub(super) fn included(&mut self, place: &Place, path: &str) -> Option<(Place, Vec<Item>)> {
        let here = self.index.files[place.file].source.name();
        let path = join(folder_of(here), path);
        let file = *self.by_name.get(&path)?;
        if self.modules[file].is_some() {
            return None;
        }
        self.modules[file] = Some(place.module);
        let items = self.items_of(file);
        let place = Place { file, folder: folder_of(&path).to_owned(), ..place.clone() };
        Some((place, items))
    }
}

/// The crate that a root makes: the library's name, or the program's.
fn crate_name(package: &Package, root: &str) -> String {
    let inner = root.strip_prefix(package.folder.as_str()).unwrap_or(root).trim_start_matches('/');
    let program = inner.strip_prefix("src/bin/").map(|rest| rest.trim_end_matches(".rs").trim_end_matches("/main"));
    program.map_or_else(|| package.library.clone(), |name| name.replace('-', "_"))
}

/// The package whose folder is the nearest above a file.
fn holder(packages: &[Package], name: &str) -> Option<usize> {
    let inside =
        |folder: &str| folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let holding = packages.iter().enumerate().filter(|(_, package)| inside(&package.folder));
    holding.max_by_key(|(_, package)| package.folder.len()).map(|(at, _)| at)
}

fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn is_folder_module(name: &str) -> bool {
    matches!(name.rsplit('/').next(), Some("lib.rs" | "main.rs" | "mod.rs"))
}

/// Where the `mod`s of a file that is no root have their files.
fn children_folder(name: &str) -> String {
    match is_folder_module(name) {
        true => folder_of(name).to_owned(),
        false => name.trim_end_matches(".rs").to_owned(),
    }
}
