//! Types with references and transparent wrappers taken off, so that a client is a client behind any
//! `&`, `Arc`, `Option`, lock or extractor.

use std::cell::Cell;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::scan::index::{Def, FnId, Generics, ImplId, Index, ModuleId, TraitId, TypeId, TypeKind};
use crate::scan::ir::{Path, Ty};
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::wrappers::is_wrapper;

/// How deep aliases and nested types are followed.
const DEPTH: usize = 12;
/// How many types within one type are told: aliases of aliases could multiply without end.
const NODES: usize = 1000;

/// How deep a question about a type has led, and how much it may still look at.
#[derive(Clone, Copy)]
struct Depth<'c> {
    level: usize,
    left: &'c Cell<usize>,
}

impl Depth<'_> {
    fn down(self) -> Self {
        Depth { level: self.level + 1, ..self }
    }

    /// Whether another type may be looked at.
    fn spend(self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.level <= DEPTH && self.left.get() > 0
    }
}

/// How many parts a type may have.
const PARTS: usize = 256;

/// A type as far as it is told by what is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Type {
    /// Not told.
    #[default]
    Unknown,
    /// A struct or enum of the workspace, with its arguments.
    Local(TypeId, Vec<Type>),
    /// A type outside: canonical path and arguments. The path `lib::?` is an unnamed type of that crate.
    External(Arc<str>, Vec<Type>),
    /// `impl A + B`, `dyn A + B` or a generic parameter bound by them.
    Bound(Vec<Bound>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// A collection, iterator or stream of these.
    Many(Box<Type>),
    /// A function pointer or `Fn` bound: what it takes and what it returns.
    Fn(Vec<Type>, Box<Type>),
}

/// A trait that a type is bound by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// A trait of the workspace.
    Local(TraitId),
    /// A trait outside, by path.
    External(Arc<str>),
}

impl Type {
    /// The type outside with this path and no arguments.
    #[must_use]
    pub fn external(path: &str) -> Type {
        Type::External(Arc::from(path), Vec::new())
    }

    /// Some type of the crate with this library name.
    #[must_use]
    pub fn of_crate(library: &str) -> Type {
        Type::external(&format!("{library}::?"))
    }

    /// The path of a type outside.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Type::External(path, _) => Some(path),
            _ => None,
        }
    }

    /// The library of a type outside, or of the first trait outside that it is bound by.
    #[must_use]
    pub fn library(&self) -> Option<&str> {
        let path: &str = match self {
            Type::External(path, _) => path,
            Type::Bound(bounds) => bounds.iter().find_map(|bound| match bound {
                Bound::External(path) => Some(&**path),
                Bound::Local(_) => None,
            })?,
            _ => return None,
        };
        path.split("::").next()
    }

    /// Whether nothing is told.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Type::Unknown)
    }

    /// Whether it has more parts than any type that people write.
    #[must_use]
    pub fn is_huge(&self) -> bool {
        fn spend(ty: &Type, room: &mut usize) -> bool {
            let Some(left) = room.checked_sub(1) else { return false };
            *room = left;
            match ty {
                Type::Unknown | Type::Bound(_) => true,
                Type::Local(_, parts) | Type::External(_, parts) | Type::Tuple(parts) => {
                    parts.iter().all(|part| spend(part, room))
                }
                Type::Many(inner) => spend(inner, room),
                Type::Fn(args, returns) => args.iter().all(|arg| spend(arg, room)) && spend(returns, room),
            }
        }
        !spend(self, &mut { PARTS })
    }

    /// What a loop or closure over it sees: the element of a collection, else itself.
    #[must_use]
    pub fn element(&self) -> Type {
        match self {
            Type::Many(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }
}

/// Whose names a written type uses.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Everything that has a name.
    pub index: &'a Index,
    /// What globs of crates outside bring in.
    pub catalog: &'a Catalog,
    /// The module.
    pub module: ModuleId,
    /// The function whose generic parameters are seen.
    pub function: Option<FnId>,
    /// The impl whose `Self` and generic parameters are seen.
    pub impl_id: Option<ImplId>,
}

impl<'a> Names<'a> {
    /// What a function sees.
    #[must_use]
    pub fn of_fn(index: &'a Index, catalog: &'a Catalog, id: FnId) -> Names<'a> {
        let entry = &index.functions[id.0 as usize];
        Names { index, catalog, module: entry.module, function: Some(id), impl_id: entry.impl_id }
    }

    /// What a module's items see.
    #[must_use]
    pub fn of_module(index: &'a Index, catalog: &'a Catalog, module: ModuleId) -> Names<'a> {
        Names { index, catalog, module, function: None, impl_id: None }
    }

    /// What an impl sees.
    #[must_use]
    pub fn of_impl(index: &'a Index, catalog: &'a Catalog, id: ImplId) -> Names<'a> {
        Names { index, catalog, module: index.impls[id.0 as usize].module, function: None, impl_id: Some(id) }
    }

    fn generics(&self) -> Generics<'a> {
        let mut all: Generics<'a> = Vec::new();
        let mut at = self.function;
        let mut impl_id = self.impl_id;
        for _ in 0..DEPTH {
            let Some(id) = at else { break };
            let entry = &self.index.functions[id.0 as usize];
            all.extend(&entry.function.generics);
            impl_id = impl_id.or(entry.impl_id);
            if let Some(id) = entry.trait_id {
                all.extend(&self.index.traits[id.0 as usize].def.generics);
            }
            at = entry.outer;
        }
        if let Some(id) = impl_id {
            all.extend(&self.index.impls[id.0 as usize].def.generics);
        }
        all
    }

    fn trait_id(&self) -> Option<TraitId> {
        let mut at = self.function;
        for _ in 0..DEPTH {
            let entry = &self.index.functions[at?.0 as usize];
            if entry.trait_id.is_some() {
                return entry.trait_id;
            }
            at = entry.outer;
        }
        None
    }

    /// The type that a written one means here.
    #[must_use]
    pub fn ty(&self, ty: &Ty) -> Type {
        let left = Cell::new(NODES);
        self.ty_at(ty, Depth { level: 0, left: &left })
    }

    fn ty_at(&self, ty: &Ty, depth: Depth<'_>) -> Type {
        if !depth.spend() {
            return Type::Unknown;
        }
        match ty {
            Ty::Ref(inner) => self.ty_at(inner, depth.down()),
            Ty::Tuple(items) => Type::Tuple(items.iter().map(|item| self.ty_at(item, depth.down())).collect()),
            Ty::Slice(inner) => Type::Many(Box::new(self.ty_at(inner, depth.down()))),
            Ty::Bounds(paths) => self.bounds(paths, depth),
            Ty::Fn(args, returns) => self.function(args, returns, depth),
            Ty::Path(path) => self.path(path, depth),
            Ty::Other => Type::Unknown,
        }
    }

    fn function(&self, args: &[Ty], returns: &Ty, depth: Depth<'_>) -> Type {
        let args = args.iter().map(|arg| self.ty_at(arg, depth.down())).collect();
        Type::Fn(args, Box::new(self.ty_at(returns, depth.down())))
    }

    fn bounds(&self, paths: &[Path], depth: Depth<'_>) -> Type {
        let mut bounds = Vec::new();
        for path in paths {
            let last = path.segments.last();
            let name = last.map_or("", |segment| segment.name.as_str());
            let first = last.and_then(|segment| segment.args.first());
            match (name, first) {
                ("Future" | "IntoFuture" | "AsRef" | "Borrow" | "Into" | "Deref" | "DerefMut", Some(inner)) => {
                    return self.ty_at(inner, depth.down());
                }
                ("Iterator" | "IntoIterator" | "Stream" | "DoubleEndedIterator", Some(inner)) => {
                    return Type::Many(Box::new(self.ty_at(inner, depth.down())));
                }
                _ => {}
            }
            match self.resolve(path) {
                Some(Def::Trait(id)) => bounds.push(Bound::Local(id)),
                Some(Def::External(path)) => bounds.push(Bound::External(path)),
                _ => {}
            }
        }
        Type::Bound(bounds)
    }

    fn path(&self, path: &Path, depth: Depth<'_>) -> Type {
        if let Some(name) = path.ident()
            && let Some(found) = self.special(name, depth)
        {
            return found;
        }
        let args = path.segments.last().map_or(&[][..], |segment| &segment.args);
        if let [first, member] = path.segments.as_slice()
            && first.name == "Self"
        {
            return self.associated(&member.name, depth);
        }
        match self.resolve(path) {
            Some(Def::Type(id)) => {
                let entry = &self.index.types[id.0 as usize];
                match &entry.kind {
                    TypeKind::Alias(target) => {
                        let there = Names::of_module(self.index, self.catalog, entry.module);
                        match there.ty_at(target, depth.down()) {
                            // What an alias is given stands for its parameters, the first one first.
                            told if told.is_unknown() || is_parameter(&told) => {
                                args.first().map_or(Type::Unknown, |arg| self.ty_at(arg, depth.down()))
                            }
                            known => known,
                        }
                    }
                    TypeKind::Struct(_) | TypeKind::Enum(_) => {
                        Type::Local(id, args.iter().map(|arg| self.ty_at(arg, depth.down())).collect())
                    }
                }
            }
            Some(Def::External(external)) => self.outside(&external, args, depth),
            Some(Def::Trait(id)) => Type::Bound(vec![Bound::Local(id)]),
            Some(Def::Variant(id, _)) => Type::Local(id, Vec::new()),
            Some(Def::Module(_) | Def::Fn(_) | Def::Const(_) | Def::Macro(_)) => Type::Unknown,
            None => match path.ident() {
                Some(name) => {
                    let brought = self.brought_by_a_prelude(name);
                    self.outside(&brought.map_or_else(|| Arc::from(name), Arc::from), args, depth)
                }
                None => match path.segments.as_slice() {
                    [only] => self.outside(&Arc::from(only.name.as_str()), args, depth),
                    _ => Type::Unknown,
                },
            },
        }
    }

    /// Where a path of a type or trait leads; names that a glob of a crate outside brings in too.
    fn resolve(&self, path: &Path) -> Option<Def> {
        self.index.resolve_type(self.module, path).or_else(|| self.by_glob(path))
    }

    /// A name that a glob of a crate outside brings in, as far as the catalog knows.
    #[must_use]
    pub fn by_glob(&self, path: &Path) -> Option<Def> {
        if path.global || path.qself.is_some() {
            return None;
        }
        let (first, rest) = path.segments.split_first()?;
        let found =
            self.index.external_globs(self.module).iter().find_map(|glob| self.catalog.exported(glob, &first.name))?;
        let names: Vec<&str> =
            std::iter::once(found.as_str()).chain(rest.iter().map(|segment| segment.name.as_str())).collect();
        Some(Def::External(names.join("::").into()))
    }

    /// `use azalea::prelude::*`: the one glob of a crate that nobody listed brings in a name that leads nowhere else and
    /// is that of a client.
    fn brought_by_a_prelude(&self, name: &str) -> Option<String> {
        const LAST: [&str; 8] = ["Api", "Bot", "Client", "Context", "Event", "Http", "Sdk", "Session"];
        if !LAST.iter().any(|last| name.ends_with(last)) {
            return None;
        }
        let globs = self.index.external_globs(self.module).iter();
        let mut unlisted = globs.filter(|glob| self.catalog.library(first_of(glob)).is_none());
        match (unlisted.next(), unlisted.next()) {
            (Some(glob), None) => Some(format!("{glob}::{name}")),
            _ => None,
        }
    }

    /// `Self` and generic parameters.
    fn special(&self, name: &str, depth: Depth<'_>) -> Option<Type> {
        if name == "Self" {
            return Some(match (self.impl_id, self.trait_id()) {
                (Some(id), _) => {
                    let there = Names::of_impl(self.index, self.catalog, id);
                    let written = &self.index.impls[id.0 as usize].def.self_ty;
                    if matches!(written, Ty::Path(path) if path.ident() == Some("Self")) {
                        Type::Unknown
                    } else {
                        there.ty_at(written, depth.down())
                    }
                }
                (None, Some(id)) => Type::Bound(vec![Bound::Local(id)]),
                (None, None) => Type::Unknown,
            });
        }
        let generics = self.generics();
        let mut bounds = Vec::new();
        let mut found = false;
        for generic in generics.iter().filter(|generic| generic.name == name) {
            found = true;
            if let Some(Ty::Fn(args, returns)) = &generic.function {
                return Some(self.function(args, returns, depth.down()));
            }
            bounds.extend(generic.bounds.iter().cloned());
        }
        found.then(|| self.bounds(&bounds, depth.down()))
    }

    /// `Self::Name`: an associated type of the impl.
    fn associated(&self, member: &str, depth: Depth<'_>) -> Type {
        let Some(id) = self.impl_id else { return Type::Unknown };
        let items = &self.index.impls[id.0 as usize].def.items;
        let alias = items.iter().find(|item| item.name == member).map(|item| &item.kind);
        match alias {
            Some(crate::scan::ir::ItemKind::Alias(target)) => self.ty_at(target, depth.down()),
            _ => Type::Unknown,
        }
    }

    fn outside(&self, path: &Arc<str>, args: &[Ty], depth: Depth<'_>) -> Type {
        let path = behind(self.catalog, path);
        let arg = |at: usize| args.get(at).map_or(Type::Unknown, |arg| self.ty_at(arg, depth.down()));
        if is_wrapper(&path) {
            return arg(0);
        }
        match last_of(&path) {
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "Stream" | "LinkedList" | "JoinSet" | "FuturesUnordered"
            | "BoxStream" | "IndexSet" => Type::Many(Box::new(arg(0))),
            "HashMap" | "BTreeMap" | "DashMap" | "IndexMap" => Type::Many(Box::new(arg(1))),
            _ => {
                let args = args.iter().map(|arg| self.ty_at(arg, depth.down())).collect();
                Type::External(path, args)
            }
        }
    }
}

/// A path from the crate on that the catalog knows, where another crate passes it on: `glue::matrix_sdk::Room`.
#[must_use]
pub fn behind(catalog: &Catalog, path: &Arc<str>) -> Arc<str> {
    // Libraries whose names are no words that modules have.
    const OWN_NAMES: [&str; 15] = [
        "attohttpc",
        "isahc",
        "lapin",
        "lettre",
        "megalodon",
        "octocrab",
        "poise",
        "rdkafka",
        "reqwest",
        "rmcp",
        "serenity",
        "teloxide",
        "tonic",
        "tungstenite",
        "ureq",
    ];
    let Some((first, rest)) = path.split_once("::").filter(|(_, rest)| rest.contains("::")) else {
        return Arc::clone(path);
    };
    if catalog.library(first).is_some() {
        return Arc::clone(path);
    }
    let known = |name: &str| (name.contains('_') || OWN_NAMES.contains(&name)) && catalog.library(name).is_some();
    let mut suffixes = std::iter::successors(Some(rest), |at| at.split_once("::").map(|(_, behind)| behind));
    // `glue::reqwest::GlueClient`: a module that is named after what a client of the crate's own is made of.
    let own = |at: &str| {
        let client = last_of(at).strip_suffix("Client").is_some_and(|before| !before.is_empty());
        client && !catalog.is_type(&catalog.canonical(at))
    };
    suffixes.find(|at| known(first_of(at))).filter(|at| !own(at)).map_or_else(|| Arc::clone(path), Arc::from)
}

/// Whether a type is the parameter of the alias that names it: `T` in `type Result<T> = std::result::Result<T, E>`.
fn is_parameter(ty: &Type) -> bool {
    ty.path().is_some_and(|path| path.len() <= 2 && path.chars().all(|letter| letter.is_ascii_uppercase()))
}
