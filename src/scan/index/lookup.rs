//! Names of a module, and the walk along a path.

use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use crate::scan::index::{Def, Index, ModuleId, TypeId, TypeKind};
use crate::scan::ir::{Import, Ty};

/// Wrappers that method calls and impls see through.
pub(super) const WRAPPERS: [&str; 4] = ["Arc", "Box", "Pin", "Rc"];

/// Crates that need no entry in a manifest.
const STANDARD: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];

/// How far aliases and globs are followed: cycles end here, real code stays far below.
const DEEPEST: usize = 32;

/// What one name stands for: a type or module, a value, a macro.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) types: Option<Def>,
    pub(super) values: Option<Def>,
    pub(super) macros: Option<Def>,
}

impl Slots {
    /// The place that a definition takes.
    pub(super) fn of(def: Def) -> Slots {
        match &def {
            Def::Module(_) | Def::Trait(_) => Slots { types: Some(def), ..Slots::default() },
            Def::Fn(_) | Def::Const(_) => Slots { values: Some(def), ..Slots::default() },
            Def::Macro(_) => Slots { macros: Some(def), ..Slots::default() },
            // A struct's name is its constructor's, a variant stands for both, what lies outside could be anything.
            Def::Type(_) | Def::Variant(..) => Slots { types: Some(def.clone()), values: Some(def), macros: None },
            Def::External(_) => Slots { types: Some(def.clone()), values: Some(def.clone()), macros: Some(def) },
        }
    }

    /// Fills what is empty.
    pub(super) fn or(self, other: Slots) -> Slots {
        Slots {
            types: self.types.or(other.types),
            values: self.values.or(other.values),
            macros: self.macros.or(other.macros),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.types.is_some() && self.values.is_some() && self.macros.is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.types.is_none() && self.values.is_none() && self.macros.is_none()
    }
}

/// Something that a module declares.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) slots: Slots,
    /// Whether other modules see it.
    pub(super) public: bool,
    /// Whether other crates see it, as far as the item itself says.
    pub(super) exported: bool,
    /// Whether only tests see it.
    pub(super) test: bool,
}

/// A `use`, one name of it.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) import: Import,
    pub(super) public: bool,
    pub(super) exported: bool,
    /// What it leads to, as far as that is known by now.
    pub(super) slots: Slots,
    /// The place of the next one of the same name.
    next: Option<usize>,
}

impl Use {
    pub(super) fn new(import: Import, public: bool, exported: bool) -> Use {
        Use { import, public, exported, slots: Slots::default(), next: None }
    }
}

/// Every `use` of a module but globs, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) list: Vec<Use>,
    /// By name: the places of the first and the last one; each leads to its next.
    by_name: HashMap<String, (usize, usize)>,
}

impl Uses {
    pub(super) fn push(&mut self, import: Use) {
        let at = self.list.len();
        match self.by_name.get_mut(&import.import.name) {
            Some((_, last)) => {
                let before = std::mem::replace(last, at);
                self.list[before].next = Some(at);
            }
            None => {
                self.by_name.insert(import.import.name.clone(), (at, at));
            }
        }
        self.list.push(import);
    }

    /// Those of one name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Use> {
        let at = |at: usize| self.list.get(at);
        std::iter::successors(self.by_name.get(name).and_then(|(first, _)| at(*first)), move |import| at(import.next?))
    }
}

/// A glob and where it leads.
#[derive(Clone, Debug)]
pub(super) struct GlobUse {
    pub(super) import: Import,
    pub(super) public: bool,
    pub(super) exported: bool,
    pub(super) target: Option<Def>,
}

/// The names of one module.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) items: HashMap<String, Declared>,
    pub(super) uses: Uses,
    pub(super) globs: Vec<GlobUse>,
    pub(super) external_globs: Vec<Arc<str>>,
    /// Whether a build script or a macro makes names in it that nobody here sees.
    pub(super) open: bool,
}

/// What a crate's name in code stands for.
#[derive(Clone, Debug)]
pub(super) enum Extern {
    /// The root of a library that was scanned.
    Local(ModuleId),
    /// A library outside, by its own name.
    Outside(Arc<str>),
}

impl Index {
    /// Follows a path.
    pub(super) fn walk(&self, module: ModuleId, global: bool, names: &[impl AsRef<str>]) -> Option<Slots> {
        self.walk_at(module, global, names, 0)
    }

    fn walk_at(&self, module: ModuleId, global: bool, names: &[impl AsRef<str>], depth: usize) -> Option<Slots> {
        let (slots, rest) = self.head(module, global, names)?;
        self.walk_on(module, slots, rest, depth)
    }

    /// Follows the rest of a path from what its first names lead to.
    fn walk_on(&self, module: ModuleId, mut slots: Slots, mut rest: &[impl AsRef<str>], depth: usize) -> Option<Slots> {
        while let Some((name, behind)) = rest.split_first() {
            let last = name.as_ref();
            slots = match slots.types? {
                Def::Module(inner) => match self.in_module(inner, module, last, &mut Vec::new()) {
                    found if found.is_empty() && self.is_open(inner) => {
                        let made = self.modules[inner.0 as usize].path.join("::");
                        return Some(Slots::of(below(&made.into(), rest)));
                    }
                    none if none.is_empty() => {
                        return Some(Slots::of(below(self.only_outside_glob(inner, module)?, rest)));
                    }
                    found => found,
                },
                Def::External(path) => return Some(Slots::of(below(&path, rest))),
                Def::Type(id) => Slots::of(self.variant(id, last, depth)?),
                Def::Fn(_) | Def::Variant(..) | Def::Trait(_) | Def::Const(_) | Def::Macro(_) => return None,
            };
            rest = behind;
        }
        (!slots.is_empty()).then_some(slots)
    }

    /// Where `pub use reqwest::*` leads, in a module that has no other glob: its every other name is from there.
    fn only_outside_glob(&self, id: ModuleId, from: ModuleId) -> Option<&Arc<str>> {
        let inside = self.is_inside(from, id);
        let globs = &self.scopes.get(id.0 as usize)?.globs;
        let mut visible = globs.iter().filter(|glob| inside || glob.public);
        match (visible.next().map(|glob| &glob.target), visible.next()) {
            (Some(Some(Def::External(path))), None) => Some(path),
            _ => None,
        }
    }

    /// What a path starts with, and the names behind that.
    fn head<'n, N: AsRef<str>>(&self, module: ModuleId, global: bool, names: &'n [N]) -> Option<(Slots, &'n [N])> {
        let (first, rest) = names.split_first()?;
        let first = first.as_ref();
        let module_slots = |id: ModuleId| Slots::of(Def::Module(id));
        match first {
            _ if global => Some((self.crate_named(module, first).or_else(|| outside(first, rest))?, rest)),
            "crate" | "$crate" => Some((module_slots(self.root(module)), rest)),
            "self" => Some((module_slots(self.real(module)), rest)),
            "super" => {
                let ups = names.iter().take_while(|name| name.as_ref() == "super").count();
                let mut at = self.real(module);
                for _ in 0..ups {
                    at = self.real(self.modules.get(at.0 as usize)?.parent?);
                }
                Some((module_slots(at), &names[ups..]))
            }
            "Self" => None,
            name => Some((self.named(module, name, rest).or_else(|| outside(name, rest))?, rest)),
        }
    }

    /// The first name of a path, as far as the module and its package know it.
    fn named(&self, module: ModuleId, name: &str, rest: &[impl AsRef<str>]) -> Option<Slots> {
        let found = self.visible(module, name);
        let library = || self.crate_named(module, name);
        match &found.types {
            // `use anyhow::anyhow` brings in a macro: `anyhow::Result` is still the crate's.
            Some(Def::External(path))
                if !rest.is_empty() && path.rsplit_once("::").is_some_and(|(_, last)| last == name) =>
            {
                library().or(Some(found))
            }
            Some(_) => Some(found),
            // `name::x` needs a module or type; a function of that name is something else.
            None if rest.is_empty() && !found.is_empty() => Some(found),
            None => library(),
        }
    }

    /// Follows the path of a `use`. Only when `last`, an unknown first name leads outside.
    pub(super) fn walk_import(&self, module: ModuleId, import: &Import, last: bool) -> Option<Slots> {
        let (global, names) = (import.global, import.path.as_slice());
        let (first, rest) = names.split_first()?;
        let outside = || Slots::of(Def::External(names.join("::").into()));
        if global {
            // It starts with a crate, whether the manifest shows it or not.
            return self.walk(module, global, names).or_else(|| last.then(outside));
        }
        if matches!(first.as_str(), "crate" | "$crate" | "self" | "super" | "Self") {
            return self.walk(module, global, names);
        }
        if let Some(found) = self.named(module, first, rest) {
            return self.walk_on(module, found, rest, 0);
        }
        // Edition 2015 counts from the root of the crate.
        let root = self.root(module);
        if root != module && !self.in_module(root, module, first, &mut Vec::new()).is_empty() {
            return self.walk(root, global, names);
        }
        last.then(outside)
    }

    /// The names that `module` sees without a path.
    fn visible(&self, module: ModuleId, name: &str) -> Slots {
        let mut slots = Slots::default();
        let mut at = Some(module);
        while let Some(id) = at {
            slots = slots.or(self.in_module(id, module, name, &mut Vec::new()));
            let entry = &self.modules[id.0 as usize];
            at = entry.parent.filter(|_| entry.block && !slots.is_full());
        }
        slots
    }

    /// A name of module `id` as `from` sees it: what it declares, then what it imports, then its globs.
    pub(super) fn in_module(&self, id: ModuleId, from: ModuleId, name: &str, seen: &mut Vec<ModuleId>) -> Slots {
        let Some(scope) = self.scopes.get(id.0 as usize) else { return Slots::default() };
        let mut slots = scope.items.get(name).map(|declared| declared.slots.clone()).unwrap_or_default();
        for import in scope.uses.named(name) {
            slots = slots.or(import.slots.clone());
        }
        if slots.is_full() || scope.globs.is_empty() || seen.contains(&id) || seen.len() > DEEPEST {
            return slots;
        }
        let inside = self.is_inside(from, id);
        seen.push(id);
        for glob in scope.globs.iter().filter(|glob| inside || glob.public) {
            match &glob.target {
                Some(Def::Module(inner)) => slots = slots.or(self.through_glob(*inner, id, name, seen)),
                Some(Def::Type(ty)) => {
                    slots = slots.or(self.variant(*ty, name, 0).map(Slots::of).unwrap_or_default());
                }
                _ => {}
            }
        }
        slots
    }

    /// A glob brings in what its module lets be seen.
    fn through_glob(&self, id: ModuleId, from: ModuleId, name: &str, seen: &mut Vec<ModuleId>) -> Slots {
        let Some(scope) = self.scopes.get(id.0 as usize) else { return Slots::default() };
        if self.is_inside(from, id) {
            return self.in_module(id, from, name, seen);
        }
        let hidden = scope.items.get(name).is_some_and(|declared| !declared.public)
            || scope.uses.named(name).next().is_some() && scope.uses.named(name).all(|import| !import.public);
        if hidden { Slots::default() } else { self.in_module(id, from, name, seen) }
    }

    /// A variant of an enum, aliases followed.
    fn variant(&self, id: TypeId, name: &str, depth: usize) -> Option<Def> {
        let entry = self.types.get(id.0 as usize)?;
        match &entry.kind {
            TypeKind::Enum(variants) => {
                variants.iter().position(|variant| variant.name == name).map(|at| Def::Variant(id, at))
            }
            // `type A = A::B` leads back here by way of its path.
            TypeKind::Alias(Ty::Path(path)) if depth < DEEPEST && path.qself.is_none() => {
                let target = self.walk_at(entry.module, path.global, &path.segments, depth + 1)?;
                match target.types? {
                    Def::Type(other) => self.variant(other, name, depth + 1),
                    Def::External(outside) => Some(below(&outside, &[name])),
                    _ => None,
                }
            }
            TypeKind::Alias(_) | TypeKind::Struct(_) => None,
        }
    }

    /// A crate by its name in code, as the package of `module` sees it.
    fn crate_named(&self, module: ModuleId, name: &str) -> Option<Slots> {
        let package = self.modules.get(module.0 as usize)?.package;
        let found = self.externs.get(package).and_then(|externs| externs.get(name));
        match found {
            Some(Extern::Local(root)) => Some(Slots::of(Def::Module(*root))),
            Some(Extern::Outside(library)) => Some(Slots::of(Def::External(Arc::clone(library)))),
            None => STANDARD.contains(&name).then(|| Slots::of(Def::External(Arc::from(name)))),
        }
    }

    /// Whether names of a module may be made out of sight.
    fn is_open(&self, module: ModuleId) -> bool {
        self.scopes.get(module.0 as usize).is_some_and(|scope| scope.open)
    }

    /// The root of the crate that holds a module.
    pub(super) fn root(&self, module: ModuleId) -> ModuleId {
        let mut at = module;
        while let Some(parent) = self.modules[at.0 as usize].parent {
            at = parent;
        }
        at
    }

    /// The module itself, or the one that holds the function that it is the inside of.
    pub(super) fn real(&self, module: ModuleId) -> ModuleId {
        let mut at = module;
        while let (true, Some(parent)) = (self.modules[at.0 as usize].block, self.modules[at.0 as usize].parent) {
            at = parent;
        }
        at
    }

    /// Whether `module` is `outer` or stands in it.
    pub(super) fn is_inside(&self, module: ModuleId, outer: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.modules[id.0 as usize].parent;
        }
        false
    }

    pub(super) fn find_macro(&self, module: ModuleId, names: &[impl AsRef<str>]) -> Option<Def> {
        let [name] = names else { return self.walk(module, false, names)?.macros };
        let name = name.as_ref();
        let mut at = Some(module);
        while let Some(id) = at {
            if let found @ Some(_) = self.in_module(id, module, name, &mut Vec::new()).macros {
                return found;
            }
            at = self.modules[id.0 as usize].parent;
        }
        let package = self.modules.get(module.0 as usize)?.package;
        let here = self.links.macros.get(name).into_iter().flatten();
        let mut same = here.filter(|id| self.modules[self.macros[id.0 as usize].module.0 as usize].package == package);
        same.next().map(|id| Def::Macro(*id))
    }
}

/// What has these names below something outside.
fn below(path: &Arc<str>, names: &[impl AsRef<str>]) -> Def {
    if names.is_empty() {
        return Def::External(Arc::clone(path));
    }
    let mut full = String::from(&**path);
    for name in names {
        full.push_str("::");
        full.push_str(name.as_ref());
    }
    Def::External(full.into())
}

/// A path of several names whose first is small and unknown leads outside: a crate that no manifest shows,
/// or a module that a macro makes.
fn outside(first: &str, rest: &[impl AsRef<str>]) -> Option<Slots> {
    let small = first.starts_with(|first: char| first.is_lowercase() || first == '_');
    (small && !rest.is_empty()).then(|| Slots::of(Def::External(Arc::from(first))))
}
