//! Every name of the workspace, and where a path leads.

mod collect;
mod files;
mod imports;
mod link;
mod lookup;

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::scan::ir::{
    Attribute, Body, FieldDef, FileSummary, Function, Generic, Impl, Import, Operation, Path, TraitDef, Ty, Variant,
};
use crate::source::Span;

/// Names a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u32);
/// Names a function, method or trait method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct FnId(pub u32);
/// Names a struct, enum or type alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);
/// Names a trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraitId(pub u32);
/// Names a constant or static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(pub u32);
/// Names an impl block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImplId(pub u32);
/// Names a `macro_rules!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MacroId(pub u32);

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// A module of the workspace.
    Module(ModuleId),
    /// A function of the workspace.
    Fn(FnId),
    /// A struct, enum or alias of the workspace.
    Type(TypeId),
    /// A variant of an enum of the workspace, by its index.
    Variant(TypeId, usize),
    /// A trait of the workspace.
    Trait(TraitId),
    /// A constant or static of the workspace.
    Const(ConstId),
    /// A `macro_rules!` of the workspace.
    Macro(MacroId),
    /// Something outside: its path, the library's own name first, renames in Cargo.toml undone
    /// (`reqwest_0_12::Client` is `reqwest::Client`).
    External(Arc<str>),
}

/// A module of the workspace, or the inside of a function that declares names of its own.
#[derive(Clone, Debug)]
pub struct ModuleEntry {
    /// The path for people: `acme::ops`; the crate's library name first.
    pub path: Vec<String>,
    /// The module that holds it; `None` for the root of a crate.
    pub parent: Option<ModuleId>,
    /// The inside of a function (or of a `macro_rules!` arm): its names hide those of the parent, which it sees.
    pub block: bool,
    /// Whether a target's root leads here by `mod`.
    pub reached: bool,
    /// Index of its file in [`Index::files`].
    pub file: usize,
    /// Whether only tests see it.
    pub test: bool,
    /// Index of its package in [`Index::packages`]; `usize::MAX` for a file outside all of them.
    pub package: usize,
}

/// A function with where it stands.
#[derive(Clone, Debug)]
pub struct FnEntry {
    /// Its name.
    pub name: String,
    /// The path for people: `acme::ops::Pager::page`, `<acme::Bot as acme::Notify>::notify`.
    pub path: String,
    /// The module whose names it sees.
    pub module: ModuleId,
    /// Index of its file in [`Index::files`].
    pub file: usize,
    /// All of it.
    pub span: Span,
    /// Its name's bytes.
    pub name_span: Span,
    /// `pub` itself, and every module that holds it, so that another crate can name it. Trait impls: as the trait.
    pub exported: bool,
    /// Whether only tests see it.
    pub test: bool,
    /// The impl that holds it.
    pub impl_id: Option<ImplId>,
    /// The trait that declares it.
    pub trait_id: Option<TraitId>,
    /// The function whose body holds it.
    pub outer: Option<FnId>,
    /// Attributes other than docs.
    pub attributes: Vec<Attribute>,
    /// Doc lines.
    pub docs: Vec<String>,
    /// Signature and body.
    pub function: Function,
}

/// A struct, enum or alias with where it stands.
#[derive(Clone, Debug)]
pub struct TypeEntry {
    /// Its name.
    pub name: String,
    /// The path for people.
    pub path: String,
    /// The module whose names it sees.
    pub module: ModuleId,
    /// Index of its file in [`Index::files`].
    pub file: usize,
    /// Its name's bytes.
    pub name_span: Span,
    /// Attributes other than docs.
    pub attributes: Vec<Attribute>,
    /// Doc lines.
    pub docs: Vec<String>,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// Fields by name or index.
    Struct(Vec<FieldDef>),
    /// Variants.
    Enum(Vec<Variant>),
    /// What it stands for.
    Alias(Ty),
}

/// A trait with where it stands.
#[derive(Clone, Debug)]
pub struct TraitEntry {
    /// Its name.
    pub name: String,
    /// The path for people.
    pub path: String,
    /// The module whose names it sees.
    pub module: ModuleId,
    /// The trait without its functions.
    pub def: TraitDef,
    /// Its functions by name.
    pub methods: FxHashMap<String, FnId>,
}

/// An impl block with where it stands.
#[derive(Clone, Debug)]
pub struct ImplEntry {
    /// The module whose names it sees.
    pub module: ModuleId,
    /// Whether only tests see it.
    pub test: bool,
    /// The impl without its functions; associated types stay.
    pub def: Impl,
    /// What the self type leads to, references and wrappers taken off.
    pub self_def: Option<Def>,
    /// What the trait's path leads to.
    pub trait_def: Option<Def>,
    /// Its functions by name.
    pub methods: FxHashMap<String, FnId>,
}

impl ImplEntry {
    /// The trait of the workspace that is implemented.
    #[must_use]
    pub fn local_trait(&self) -> Option<TraitId> {
        match self.trait_def {
            Some(Def::Trait(id)) => Some(id),
            _ => None,
        }
    }
}

/// A constant or static with where it stands.
#[derive(Clone, Debug)]
pub struct ConstEntry {
    /// Its name.
    pub name: String,
    /// The module whose names it sees.
    pub module: ModuleId,
    /// Index of its file in [`Index::files`].
    pub file: usize,
    /// The impl or trait that holds it.
    pub impl_id: Option<ImplId>,
    /// The written type.
    pub ty: Ty,
    /// The value.
    pub value: Body,
}

/// A `macro_rules!` with where it stands.
#[derive(Clone, Debug)]
pub struct MacroEntry {
    /// Its name.
    pub name: String,
    /// The module that holds it.
    pub module: ModuleId,
    /// Index of its file in [`Index::files`].
    pub file: usize,
    /// Its arms.
    pub arms: Vec<crate::scan::ir::MacroArm>,
}

/// A package of the workspace, from its Cargo.toml. No build script is run and no cargo is called.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its library's name: `-` as `_`.
    pub library: String,
    /// Folder, relative to the scanned one, with `/`; empty for the scanned folder itself.
    pub folder: String,
    /// Name in code (`reqwest_0_12`) -> package name (`reqwest`), for every kind of dependency.
    pub dependencies: HashMap<String, String>,
    /// Name in code -> folder of the package that a path or a `[patch]` leads to, where it was scanned too.
    pub local: HashMap<String, String>,
    /// Root files of its targets, relative to the scanned folder: the library first, then the binaries.
    pub roots: Vec<String>,
    /// Whether it has a library target: what that exports can be called from outside.
    pub has_library: bool,
}

/// `path` as seen from `folder`, both with `/`; `.` and `..` are taken out, and a path that leaves the scanned
/// folder keeps the `..` in front.
pub(crate) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let ends = if path.ends_with('/') { "/" } else { "" };
    parts.join("/") + ends
}

/// Everything that has a name, and what a path leads to.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The files, sorted by name. Their items have moved into the entries below.
    pub files: Vec<FileSummary>,
    /// The packages, sorted by folder.
    pub packages: Vec<Package>,
    /// By [`ModuleId`].
    pub modules: Vec<ModuleEntry>,
    /// By [`FnId`].
    pub functions: Vec<FnEntry>,
    /// By [`TypeId`].
    pub types: Vec<TypeEntry>,
    /// By [`TraitId`].
    pub traits: Vec<TraitEntry>,
    /// By [`ImplId`].
    pub impls: Vec<ImplEntry>,
    /// By [`ConstId`].
    pub consts: Vec<ConstEntry>,
    /// By [`MacroId`].
    pub macros: Vec<MacroEntry>,
    /// The operations of GraphQL documents, by the file's name.
    pub documents: HashMap<String, Vec<Operation>>,
    /// Macro calls in item place that were not read: the module, and the tokens.
    pub item_macros: Vec<(ModuleId, String)>,
    /// By [`ModuleId`].
    scopes: Vec<lookup::Scope>,
    /// By package.
    externs: Vec<FxHashMap<String, lookup::Extern>>,
    /// What belongs to what.
    links: link::Links,
}

/// Reads a file that waits.
pub type Read<'r> = &'r (dyn Fn(FileSummary) -> FileSummary + Sync);

/// Generic parameters that a function sees: its own, then its impl's or trait's.
pub type Generics<'a> = Vec<&'a Generic>;

impl Index {
    /// Gives every name of the summaries an entry and resolves what leads to it. Of summaries that wait nothing is
    /// known.
    #[must_use]
    pub fn build(packages: Vec<Package>, summaries: Vec<FileSummary>) -> Index {
        Index::reading(packages, summaries, &|file| file)
    }

    /// The same; a file that waits is read once code leads to it, or nothing does. What only tests lead to waits on.
    #[must_use]
    pub fn reading(packages: Vec<Package>, mut summaries: Vec<FileSummary>, read: Read<'_>) -> Index {
        summaries.sort_by(|a, b| a.source.name().cmp(b.source.name()));
        let mut index = Index { files: summaries, packages, ..Index::default() };
        files::Walk::new(&mut index, read).run();
        imports::resolve(&mut index);
        link::link(&mut index);
        index
    }

    /// Where `path` leads from inside `module`: items, imports, globs, re-exports to a fixpoint, the
    /// packages' dependencies. A path of several names whose first is unknown here and small leads outside.
    /// `Self`, generic parameters and std's prelude are not names of a module. Where a name stands for a value
    /// and for a module, the value is meant. Of a path that leads to a type's member (`Type::new`) see
    /// [`Index::resolve_member`].
    #[must_use]
    pub fn resolve(&self, module: ModuleId, path: &Path) -> Option<Def> {
        if path.qself.is_some() {
            return None;
        }
        let found = self.walk(module, path.global, &path.segments)?;
        found.values.or(found.types)
    }

    /// As [`Index::resolve`], for a place where only a type, trait or module can stand.
    #[must_use]
    pub fn resolve_type(&self, module: ModuleId, path: &Path) -> Option<Def> {
        if path.qself.is_some() {
            return None;
        }
        self.walk(module, path.global, &path.segments)?.types
    }

    /// The macro that `path!` calls: textual scope first, then as a path, then any of that name in the crate.
    #[must_use]
    pub fn resolve_macro(&self, module: ModuleId, path: &Path) -> Option<Def> {
        self.find_macro(module, &path.segments)
    }

    /// Of `Type::member`, `Trait::member`, `<T as Trait>::member`, `<T>::member` and paths outside: what holds
    /// the member (a type, trait or something outside), and its name. Variants and functions of modules are no
    /// members.
    #[must_use]
    pub fn resolve_member(&self, module: ModuleId, path: &Path) -> Option<(Def, String)> {
        let (last, holder) = path.segments.split_last()?;
        let def = match (&path.qself, holder) {
            (Some(qself), []) => self.type_def(module, qself)?,
            (_, []) => return None,
            _ => self.walk(module, path.global, holder)?.types?,
        };
        match def {
            Def::Type(_) | Def::Trait(_) | Def::External(_) => Some((def, last.name.clone())),
            Def::Module(_) | Def::Fn(_) | Def::Variant(..) | Def::Const(_) | Def::Macro(_) => None,
        }
    }

    /// What a written type leads to from inside `module`: references and the wrappers that method calls see
    /// through (`Arc`, `Box`, `Rc`, `Pin`) taken off.
    #[must_use]
    pub fn type_def(&self, module: ModuleId, ty: &Ty) -> Option<Def> {
        match ty {
            Ty::Ref(inner) => self.type_def(module, inner),
            Ty::Path(path) => match path.segments.last() {
                Some(last) if lookup::WRAPPERS.contains(&last.name.as_str()) && last.args.len() == 1 => {
                    self.type_def(module, &last.args[0])
                }
                _ => self.resolve_type(module, path),
            },
            Ty::Bounds(paths) => paths.first().and_then(|path| self.resolve_type(module, path)),
            Ty::Tuple(_) | Ty::Slice(_) | Ty::Fn(..) | Ty::Other => None,
        }
    }

    /// The impl blocks whose self type is `def`, in the order of the files.
    #[must_use]
    pub fn impls_of(&self, def: &Def) -> &[ImplId] {
        self.links.by_self.get(def).map_or(&[], Vec::as_slice)
    }

    /// The impl blocks of a type.
    #[must_use]
    pub fn impls_of_type(&self, id: TypeId) -> &[ImplId] {
        self.impls_of(&Def::Type(id))
    }

    /// The impl blocks of a trait, of this workspace or of another.
    #[must_use]
    pub fn implementors(&self, def: &Def) -> &[ImplId] {
        self.links.by_trait.get(def).map_or(&[], Vec::as_slice)
    }

    /// The impl blocks of a trait of the workspace.
    #[must_use]
    pub fn impls_of_trait(&self, id: TraitId) -> &[ImplId] {
        self.implementors(&Def::Trait(id))
    }

    /// The functions that `value.name(..)` or `Def::name(..)` can mean: inherent ones, then those of the traits
    /// that the type implements, then those traits' defaults; of a trait its own declaration.
    #[must_use]
    pub fn methods_named(&self, def: &Def, name: &str) -> Vec<FnId> {
        self.members_named(def, name)
    }

    /// Paths outside whose every name may be meant in `module`: `use lettre::*` is `lettre`; those that come
    /// through a glob of the workspace are among them.
    #[must_use]
    pub fn external_globs(&self, module: ModuleId) -> &[Arc<str>] {
        self.scopes.get(module.0 as usize).map_or(&[], |scope| scope.external_globs.as_slice())
    }

    /// What the module's `use` declarations say, name by name, globs too, whether they lead somewhere or not.
    pub fn imports(&self, module: ModuleId) -> impl Iterator<Item = &Import> {
        let scope = self.scopes.get(module.0 as usize);
        let names = scope.into_iter().flat_map(|scope| scope.uses.list.iter().map(|import| &import.import));
        names.chain(scope.into_iter().flat_map(|scope| scope.globs.iter().map(|glob| &glob.import)))
    }

    /// The entry of a module.
    #[must_use]
    pub fn module(&self, id: ModuleId) -> &ModuleEntry {
        &self.modules[id.0 as usize]
    }

    /// The entry of a function.
    #[must_use]
    pub fn function(&self, id: FnId) -> &FnEntry {
        &self.functions[id.0 as usize]
    }

    /// The entry of a type.
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &TypeEntry {
        &self.types[id.0 as usize]
    }

    /// The entry of a trait.
    #[must_use]
    pub fn trait_entry(&self, id: TraitId) -> &TraitEntry {
        &self.traits[id.0 as usize]
    }

    /// The entry of an impl block.
    #[must_use]
    pub fn impl_entry(&self, id: ImplId) -> &ImplEntry {
        &self.impls[id.0 as usize]
    }

    /// What every `use` of the workspace brings in.
    pub fn every_import(&self) -> impl Iterator<Item = &Import> {
        (0..u32::try_from(self.modules.len()).unwrap_or(u32::MAX)).flat_map(|id| self.imports(ModuleId(id)))
    }

    /// Every function's id.
    pub fn function_ids(&self) -> impl Iterator<Item = FnId> + use<> {
        (0..u32::try_from(self.functions.len()).unwrap_or(u32::MAX)).map(FnId)
    }
}

#[cfg(test)]
mod tests;
