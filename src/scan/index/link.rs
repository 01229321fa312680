//! What belongs to what, once names resolve: impls to types and traits, paths for people, what is exported.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::scan::index::{Def, FnId, ImplId, Index, MacroId, ModuleId, TypeId, TypeKind};
use crate::scan::ir::{Path, Ty};

/// What belongs to what.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Impls by what their self type leads to.
    pub(super) by_self: HashMap<Def, Vec<ImplId>>,
    /// Impls by trait.
    pub(super) by_trait: HashMap<Def, Vec<ImplId>>,
    /// Macros by name.
    pub(super) macros: HashMap<String, Vec<MacroId>>,
}

/// Fills what needs names that resolve.
pub(super) fn link(index: &mut Index) {
    for (at, entry) in index.macros.iter().enumerate() {
        index.links.macros.entry(entry.name.clone()).or_default().push(MacroId(number(at)));
    }
    impls(index);
    paths(index);
    export(index);
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn impls(index: &mut Index) {
    for at in 0..index.impls.len() {
        let entry = &index.impls[at];
        let generic = |ty: &Ty| match ty {
            Ty::Path(path) => path.ident().is_some_and(|name| entry.def.generics.iter().any(|g| g.name == name)),
            _ => false,
        };
        let bare = stripped(&entry.def.self_ty);
        let self_def = if generic(bare) { None } else { index.type_def(entry.module, bare) };
        let self_def = self_def.map(|def| index.behind_aliases(def));
        let trait_def = entry.def.trait_path.as_ref().and_then(|path| index.trait_named(entry.module, path));
        let id = ImplId(number(at));
        if let Some(def) = &self_def {
            index.links.by_self.entry(def.clone()).or_default().push(id);
        }
        if let Some(def) = &trait_def {
            index.links.by_trait.entry(def.clone()).or_default().push(id);
        }
        let entry = &mut index.impls[at];
        (entry.self_def, entry.trait_def) = (self_def, trait_def);
    }
}

fn stripped(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ref(inner) => stripped(inner),
        other => other,
    }
}

impl Index {
    /// A trait's path; a lone name that is unknown here is what it says: `Drop`, `Iterator`.
    fn trait_named(&self, module: ModuleId, path: &Path) -> Option<Def> {
        let unknown = || path.ident().map(|name| Def::External(Arc::from(name)));
        let bare = path.segments.last().filter(|_| path.segments.len() == 1).map(|last| last.name.as_str());
        self.resolve_type(module, path).or_else(unknown).or_else(|| Some(Def::External(Arc::from(bare?))))
    }

    /// What an alias of a single name stands for in the end.
    pub(super) fn behind_aliases(&self, def: Def) -> Def {
        let mut at = def;
        let mut seen: HashSet<TypeId> = HashSet::default();
        while let Def::Type(id) = at {
            let entry = &self.types[id.0 as usize];
            let TypeKind::Alias(target) = &entry.kind else { break };
            if !seen.insert(id) {
                break;
            }
            match self.type_def(entry.module, target) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    pub(super) fn members_named(&self, def: &Def, name: &str) -> Vec<FnId> {
        let def = self.behind_aliases(def.clone());
        let mut found: Vec<FnId> = Vec::new();
        if let Def::Trait(id) = def {
            found.extend(self.traits[id.0 as usize].methods.get(name));
        }
        let impls = || self.impls_of(&def).iter().map(|id| &self.impls[id.0 as usize]);
        let (inherent, of_traits): (Vec<_>, Vec<_>) = impls().partition(|entry| entry.def.trait_path.is_none());
        for entry in inherent.iter().chain(&of_traits) {
            found.extend(entry.methods.get(name));
        }
        for entry in of_traits.iter().filter(|entry| !entry.methods.contains_key(name)) {
            if let Some(Def::Trait(id)) = entry.trait_def {
                found.extend(self.traits[id.0 as usize].methods.get(name));
            }
        }
        let mut seen = HashSet::default();
        found.retain(|id| seen.insert(*id));
        found
    }

    /// A definition's path for people.
    fn shown(&self, def: &Def) -> String {
        match def {
            Def::Module(id) => self.modules[id.0 as usize].path.join("::"),
            Def::Fn(id) => self.functions[id.0 as usize].path.clone(),
            Def::Type(id) => self.types[id.0 as usize].path.clone(),
            Def::Variant(id, _) => self.types[id.0 as usize].path.clone(),
            Def::Trait(id) => self.traits[id.0 as usize].path.clone(),
            Def::Const(id) => self.consts[id.0 as usize].name.clone(),
            Def::Macro(id) => self.macros[id.0 as usize].name.clone(),
            Def::External(path) => path.to_string(),
        }
    }
}

fn paths(index: &mut Index) {
    let joined = |index: &Index, module: ModuleId, name: &str| {
        let mut path = index.modules[module.0 as usize].path.join("::");
        path.push_str("::");
        path.push_str(name);
        path
    };
    for at in 0..index.types.len() {
        index.types[at].path = joined(index, index.types[at].module, &index.types[at].name);
    }
    for at in 0..index.traits.len() {
        index.traits[at].path = joined(index, index.traits[at].module, &index.traits[at].name);
    }
    let paths: Vec<String> =
        (0..index.functions.len()).into_par_iter().map(|at| function_path(index, FnId(number(at)))).collect();
    for (entry, path) in index.functions.iter_mut().zip(paths) {
        entry.path = path;
    }
}

fn function_path(index: &Index, id: FnId) -> String {
    let entry = &index.functions[id.0 as usize];
    let name = &entry.name;
    if let Some(id) = entry.trait_id {
        return format!("{}::{name}", index.traits[id.0 as usize].path);
    }
    let Some(id) = entry.impl_id else {
        // The module of a function with names of its own is its inside, which bears its name.
        let module = &index.modules[entry.module.0 as usize];
        let inside = module.block && module.path.last() == Some(name) && entry.impl_id.is_none();
        let path = module.path.join("::");
        return if inside { path } else { format!("{path}::{name}") };
    };
    let holder = &index.impls[id.0 as usize];
    let itself = match &holder.self_def {
        Some(def) => index.shown(def),
        None => written(&holder.def.self_ty),
    };
    match (&holder.trait_def, &holder.def.trait_path) {
        (Some(def), _) => format!("<{itself} as {}>::{name}", index.shown(def)),
        (None, Some(path)) => format!("<{itself} as {}>::{name}", path.names().join("::")),
        (None, None) => format!("{itself}::{name}"),
    }
}

/// A type as it is written, without arguments.
fn written(ty: &Ty) -> String {
    match ty {
        Ty::Path(path) => path.names().join("::"),
        Ty::Ref(inner) => format!("&{}", written(inner)),
        Ty::Tuple(list) => format!("({})", list.iter().map(written).collect::<Vec<_>>().join(", ")),
        Ty::Slice(inner) => format!("[{}]", written(inner)),
        Ty::Bounds(paths) => paths.iter().map(|path| path.names().join("::")).collect::<Vec<_>>().join(" + "),
        Ty::Fn(..) => "fn".to_owned(),
        Ty::Other => "_".to_owned(),
    }
}

/// Marks the functions that another crate can name: from the roots of libraries along what is `pub`.
fn export(index: &mut Index) {
    let mut seen: HashSet<Def> = HashSet::default();
    let mut open: Vec<Def> = roots(index);
    while let Some(def) = open.pop() {
        if !seen.insert(def.clone()) {
            continue;
        }
        if let Def::Module(id) = def {
            let scope = &index.scopes[id.0 as usize];
            let items = scope.items.values().filter(|declared| declared.exported).map(|declared| &declared.slots);
            let uses = scope.uses.list.iter().filter(|import| import.exported).map(|import| &import.slots);
            for slots in items.chain(uses) {
                open.extend([&slots.types, &slots.values].into_iter().flatten().cloned());
            }
            open.extend(scope.globs.iter().filter(|glob| glob.exported).filter_map(|glob| glob.target.clone()));
        }
    }
    let seen: HashSet<Def> = seen.into_iter().map(|def| index.behind_aliases(def)).collect();
    for at in 0..index.functions.len() {
        let entry = &index.functions[at];
        let exported = match (entry.trait_id, entry.impl_id) {
            (Some(id), _) => seen.contains(&Def::Trait(id)),
            (None, Some(id)) => impl_exported(index, id, entry.exported, &seen),
            (None, None) => seen.contains(&Def::Fn(FnId(number(at)))),
        };
        index.functions[at].exported = exported;
    }
}

fn impl_exported(index: &Index, id: ImplId, public: bool, seen: &HashSet<Def>) -> bool {
    let holder = &index.impls[id.0 as usize];
    match &holder.trait_def {
        // Whoever declares a trait outside may call it.
        Some(Def::External(_)) => true,
        Some(def) => seen.contains(def),
        None => public && holder.self_def.as_ref().is_none_or(|def| seen.contains(def)),
    }
}

fn roots(index: &Index) -> Vec<Def> {
    let library = |module: &super::ModuleEntry| {
        let package = index.packages.get(module.package).filter(|package| package.has_library);
        let root = package.and_then(|package| package.roots.first());
        let here = index.files.get(module.file).map(|file| file.source.name());
        module.parent.is_none() && root.is_some() && root.map(String::as_str) == here
    };
    let modules = index.modules.iter().enumerate().filter(|(_, module)| library(module));
    modules.map(|(at, _)| Def::Module(ModuleId(number(at)))).collect()
}
