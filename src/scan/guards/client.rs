//! Recognises the generated client: any module whose file is `[generate] path`.
//!
//! The file need not be in the tree (a fresh checkout, a file that is not committed): then a path that leads
//! through a module of the file's name means the same.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::manifest::Manifest;
use crate::manifest::name::type_name;
use crate::scan::index::{Def, Index, ModuleId};
use crate::scan::ir::{Import, Path, Ty};
use crate::scan::types::ty::Type;

/// A name of the generated client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// `Ledger`
    Ledger,
    /// `Permit<A>`
    Permit,
    /// `Slot<A>`
    Slot,
    /// `Reservation::Go`
    Go,
    /// `keys::SendReply`, by the type's name.
    KeyType(String),
    /// `Key`: the canonical text.
    Key,
    /// Another of its names.
    Other,
}

/// Where the generated client is, and what its names are.
pub struct Client<'a> {
    index: &'a Index,
    /// The module's name: the file's without `.rs`, or the folder's of a `mod.rs`.
    stem: String,
    modules: HashSet<ModuleId>,
    /// Files that import all of it.
    globs: HashSet<usize>,
    /// What a name in a file was imported as, where the path goes through [`Client::stem`].
    imports: HashMap<(usize, String), Vec<String>>,
    /// Whether its name stands in any file.
    used: bool,
    /// Names that some file imports from it.
    names: HashSet<String>,
    /// Key type -> action type, of the manifest.
    actions: BTreeMap<String, String>,
}

impl<'a> Client<'a> {
    /// Finds it; without a manifest under its usual name, `src/onlyonce.rs`.
    #[must_use]
    pub fn new(index: &'a Index, manifest: Option<&Manifest>) -> Client<'a> {
        let path = manifest.map_or_else(|| "src/onlyonce.rs".into(), |manifest| manifest.generate.path.clone());
        let path: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let stem = stem(&path);
        let mut client = Client {
            index,
            used: index.files.iter().any(|file| file.source.says(&stem)),
            stem,
            modules: HashSet::new(),
            globs: HashSet::new(),
            imports: HashMap::new(),
            names: HashSet::new(),
            actions: manifest
                .into_iter()
                .flat_map(|manifest| manifest.actions.keys())
                .map(|name| by_key_type(name))
                .collect(),
        };
        client.find_modules(&path.join("/"));
        for (at, module) in index.modules.iter().enumerate() {
            let id = ModuleId(u32::try_from(at).unwrap_or(u32::MAX));
            index.imports(id).for_each(|import| client.read_import(module.file, import));
        }
        client
    }

    fn find_modules(&mut self, path: &str) {
        for (at, module) in self.index.modules.iter().enumerate() {
            let file = self.index.files.get(module.file).map_or("", |file| file.source.name());
            let same = file == path || path.strip_suffix(file).is_some_and(|before| before.ends_with('/'));
            let below = file.strip_suffix(path).is_some_and(|before| before.ends_with('/'));
            if same || below {
                self.modules.insert(ModuleId(u32::try_from(at).unwrap_or(u32::MAX)));
            }
        }
    }

    fn read_import(&mut self, file: usize, import: &Import) {
        if !import.path.contains(&self.stem) {
            return;
        }
        if import.glob {
            self.globs.insert(file);
            return;
        }
        self.names.insert(import.name.clone());
        self.imports.insert((file, import.name.clone()), import.path.clone());
    }

    /// Whether any file of the workspace is it or speaks of it.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// Whether the module is the generated one, or inside it.
    #[must_use]
    pub fn holds(&self, module: ModuleId) -> bool {
        std::iter::successors(Some(module), |at| self.index.modules.get(at.0 as usize)?.parent)
            .any(|at| self.modules.contains(&at))
    }

    /// What a path in a module means, if it is a name of the client.
    #[must_use]
    pub fn of_path(&self, module: ModuleId, path: &Path) -> Option<Named> {
        if path.qself.is_some() {
            return None;
        }
        match self.index.resolve(module, path) {
            Some(Def::Type(id)) => self.of_local(id.0 as usize),
            Some(Def::Variant(id, _)) => {
                let entry = self.index.types.get(id.0 as usize)?;
                let last = path.segments.last()?;
                (self.holds(entry.module) && entry.name == "Reservation" && last.name == "Go").then_some(Named::Go)
            }
            // What no manifest shows counts as outside: so does a module whose file is missing.
            Some(Def::External(outside)) => {
                let names: Vec<String> = outside.split("::").map(str::to_owned).collect();
                self.of_names(&names).or_else(|| self.of_unresolved(module, path))
            }
            Some(Def::Module(_) | Def::Fn(_) | Def::Trait(_) | Def::Const(_) | Def::Macro(_)) => None,
            None => self.of_unresolved(module, path),
        }
    }

    fn of_local(&self, id: usize) -> Option<Named> {
        let entry = self.index.types.get(id)?;
        if !self.holds(entry.module) {
            return None;
        }
        let in_keys = self.index.modules.get(entry.module.0 as usize)?.path.last().is_some_and(|name| name == "keys");
        Some(if in_keys { Named::KeyType(entry.name.clone()) } else { named(&entry.name) })
    }

    fn of_unresolved(&self, module: ModuleId, path: &Path) -> Option<Named> {
        let file = self.index.modules.get(module.0 as usize)?.file;
        let written: Vec<String> = path.segments.iter().map(|segment| segment.name.clone()).collect();
        let first = written.first()?;
        if let Some(imported) = self.imports.get(&(file, first.clone())) {
            let full: Vec<String> = imported.iter().chain(&written[1..]).cloned().collect();
            return self.of_names(&full);
        }
        if written.contains(&self.stem) {
            return self.of_names(&written);
        }
        self.globs.contains(&file).then(|| below(&written)).flatten()
    }

    /// The last names of a path that goes through the client's module.
    fn of_names(&self, names: &[String]) -> Option<Named> {
        let at = names.iter().rposition(|name| *name == self.stem)?;
        // A crate of that name that is not of the workspace is not the module.
        let is_crate =
            at == 0 && self.index.packages.iter().any(|package| package.dependencies.contains_key(&names[0]));
        if is_crate { None } else { below(&names[at + 1..]) }
    }

    /// What a written type means, references taken off, and the action type of its first argument.
    #[must_use]
    pub fn of_ty(&self, module: ModuleId, ty: &Ty) -> Option<(Named, Option<String>)> {
        match ty {
            Ty::Ref(inner) => self.of_ty(module, inner),
            Ty::Path(path) => {
                let found = self.of_path(module, path)?;
                let argument = path.segments.last().and_then(|segment| segment.args.first());
                let action = argument.and_then(|argument| self.of_ty(module, argument)).map(|(named, _)| named);
                Some((found, action.and_then(|named| self.action_of(&named))))
            }
            Ty::Tuple(_) | Ty::Slice(_) | Ty::Bounds(_) | Ty::Fn(..) | Ty::Other => None,
        }
    }

    /// What an expression's type means.
    #[must_use]
    pub fn of_type(&self, ty: &Type) -> Option<Named> {
        match ty {
            Type::Local(id, _) => self.of_local(id.0 as usize),
            Type::External(path, _) => {
                let names: Vec<String> = path.split("::").map(str::to_owned).collect();
                let imported = names.first().is_some_and(|first| self.names.contains(first) || !self.globs.is_empty());
                self.of_names(&names).or_else(|| imported.then(|| below(&names)).flatten())
            }
            Type::Unknown | Type::Bound(_) | Type::Tuple(_) | Type::Many(_) | Type::Fn(..) => None,
        }
    }

    /// The action type of a key type: the manifest's, or what its name would be there.
    #[must_use]
    pub fn action_of(&self, named: &Named) -> Option<String> {
        match named {
            Named::KeyType(name) => Some(self.actions.get(name).cloned().unwrap_or_else(|| snake(name))),
            Named::Ledger | Named::Permit | Named::Slot | Named::Go | Named::Key | Named::Other => None,
        }
    }
}

fn stem(path: &[String]) -> String {
    let file = path.last().map_or("onlyonce", |file| file.strip_suffix(".rs").unwrap_or(file));
    match (file, path.len().checked_sub(2).and_then(|at| path.get(at))) {
        ("mod", Some(folder)) => folder.clone(),
        _ => file.to_owned(),
    }
}

fn below(names: &[String]) -> Option<Named> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["keys", name] => Some(Named::KeyType((*name).to_owned())),
        ["Reservation", "Go"] => Some(Named::Go),
        [name] => Some(named(name)),
        _ => None,
    }
}

fn named(name: &str) -> Named {
    match name {
        "Ledger" => Named::Ledger,
        "Permit" => Named::Permit,
        "Slot" => Named::Slot,
        "Key" => Named::Key,
        _ => Named::Other,
    }
}

fn by_key_type(action: &str) -> (String, String) {
    (type_name(action), action.to_owned())
}

/// `SendReply` as `send_reply`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
