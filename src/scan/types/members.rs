//! Which functions a type has: inherent, by trait, by `Deref`, by extension traits of the workspace.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::catalog::Catalog;
use crate::scan::index::{ConstId, Def, FnId, ImplEntry, ImplId, Index, TraitEntry, TraitId, TypeId};
use crate::scan::ir::{Expr, ExprId, ItemKind, Path, Ty};
use crate::scan::types::known::last_of;
use crate::scan::types::ty::{Bound, Names, Type};

/// Traits by which bb8, r2d2, mobc and deadpool are told how connections are made, and their associated type for one.
const MANAGERS: [(&str, &str); 2] = [("ManageConnection", "Connection"), ("Manager", "Type")];

/// How many `Deref`s are followed.
pub(crate) const DEREFS: usize = 4;

/// Functions by the type that has them.
pub struct Members<'a> {
    index: &'a Index,
    by_type: HashMap<TypeId, Vec<ImplId>>,
    by_external: HashMap<String, Vec<ImplId>>,
    by_trait: HashMap<TraitId, Vec<ImplId>>,
    /// What an impl for every type gives, by name.
    blanket: HashMap<&'a str, FnId>,
    /// By [`TraitId`].
    supertraits: Vec<Vec<TraitId>>,
    /// Constants of impls, by the type and their name; the first one counts.
    constants: HashMap<(TypeId, &'a str), ConstId>,
    derefs: HashMap<TypeId, Type>,
    /// By the manager of a pool: the connections that it makes.
    pooled: HashMap<TypeId, Type>,
    named: HashSet<&'a str>,
    literals: OnceLock<Literals<'a>>,
}

/// Where values of structs are written out.
#[derive(Default)]
struct Literals<'a> {
    /// `Name { .. }`.
    named: HashMap<&'a str, Vec<(FnId, ExprId)>>,
    /// `Self { .. }`, by the type whose impl holds it.
    own: HashMap<TypeId, Vec<(FnId, ExprId)>>,
}

impl<'a> Members<'a> {
    /// Sorts the impls of the workspace.
    #[must_use]
    pub fn new(index: &'a Index, catalog: &'a Catalog) -> Members<'a> {
        let mut members = Members {
            index,
            by_type: HashMap::default(),
            by_external: HashMap::default(),
            by_trait: HashMap::default(),
            blanket: HashMap::default(),
            supertraits: index.traits.iter().map(|entry| supertraits(index, entry)).collect(),
            constants: constants(index),
            derefs: HashMap::default(),
            pooled: HashMap::default(),
            named: index.functions.iter().map(|entry| entry.name.as_str()).collect(),
            literals: OnceLock::new(),
        };
        let mut blanket = Vec::new();
        for (at, entry) in index.impls.iter().enumerate() {
            let id = ImplId(u32::try_from(at).unwrap_or(u32::MAX));
            if let Some(Def::Trait(trait_id)) = &entry.trait_def {
                members.by_trait.entry(*trait_id).or_default().push(id);
            }
            match Names::of_impl(index, catalog, id).ty(&entry.def.self_ty) {
                Type::Local(type_id, _) => {
                    members.by_type.entry(type_id).or_default().push(id);
                    if let Some(target) = associated(index, catalog, id, "Deref", "Target") {
                        members.derefs.insert(type_id, target);
                    }
                    if let Some(connection) =
                        MANAGERS.iter().find_map(|(of_trait, name)| associated(index, catalog, id, of_trait, name))
                    {
                        members.pooled.insert(type_id, connection);
                    }
                }
                Type::External(path, _) => members.by_external.entry(path.to_string()).or_default().push(id),
                Type::Bound(_) => blanket.push(entry),
                Type::Unknown | Type::Tuple(_) | Type::Many(_) | Type::Fn(..) => {}
            }
        }
        for entry in blanket {
            members.add_blanket(entry);
        }
        members
    }

    /// Whether any function of the workspace has this name.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.named.contains(name)
    }

    /// The impls of a trait of the workspace, tests left out.
    pub fn impls_of(&self, id: TraitId) -> impl Iterator<Item = ImplId> + '_ {
        self.by_trait.get(&id).into_iter().flatten().copied().filter(|id| !self.index.impls[id.0 as usize].test)
    }

    /// The functions that `name` may lead to on a value of this type; several where a trait is behind it.
    #[must_use]
    pub fn functions(&self, ty: &Type, name: &str) -> Vec<FnId> {
        if !self.is_named(name) {
            return Vec::new();
        }
        let mut at = ty;
        for _ in 0..DEREFS {
            let found = self.own_functions(at, name);
            if !found.is_empty() {
                return found;
            }
            match self.deref(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        Vec::new()
    }

    /// The constant of a type's impls with this name.
    #[must_use]
    pub fn constant(&self, ty: &Type, name: &str) -> Option<ConstId> {
        match ty {
            Type::Local(id, _) => self.constants.get(&(*id, name)).copied(),
            _ => None,
        }
    }

    /// What a newtype of the workspace derefs to, and what a pool of the workspace's connections hands out.
    #[must_use]
    pub fn deref(&self, ty: &Type) -> Option<&Type> {
        match ty {
            Type::Local(id, _) => self.derefs.get(id),
            Type::External(path, args) if matches!(last_of(path), "Object" | "PooledConnection") => self.made_by(args),
            _ => None,
        }
    }

    /// The connection that a method of a pool gives: `bb8::Pool<Manager>`, `deadpool::managed::Pool<Manager>`.
    #[must_use]
    pub fn drawn(&self, pool: &Type, method: &str) -> Option<&Type> {
        const DRAW: [&str; 6] = ["dedicated_connection", "get", "get_owned", "get_timeout", "timeout_get", "try_get"];
        if !DRAW.contains(&method) {
            return None;
        }
        let mut at = pool;
        for _ in 0..DEREFS {
            match at {
                Type::External(path, args) if last_of(path) == "Pool" => return self.made_by(args),
                _ => at = self.deref(at)?,
            }
        }
        None
    }

    fn made_by(&self, args: &[Type]) -> Option<&Type> {
        args.iter().find_map(|arg| match arg {
            Type::Local(id, _) => self.pooled.get(id),
            _ => None,
        })
    }

    fn own_functions(&self, ty: &Type, name: &str) -> Vec<FnId> {
        match ty {
            Type::Local(id, _) => self.in_impls(self.by_type.get(id), name),
            Type::External(path, _) => self.in_impls(self.by_external.get(&**path), name),
            Type::Bound(bounds) => {
                let mut found = Vec::new();
                for bound in bounds {
                    if let Bound::Local(id) = bound {
                        found.extend(self.of_trait(*id, name, 0));
                    }
                }
                found.sort_unstable();
                found.dedup();
                found
            }
            Type::Unknown | Type::Tuple(_) | Type::Many(_) | Type::Fn(..) => Vec::new(),
        }
    }

    fn in_impls(&self, impls: Option<&Vec<ImplId>>, name: &str) -> Vec<FnId> {
        let impls = impls.map_or(&[][..], Vec::as_slice);
        let entries = || impls.iter().map(|id| &self.index.impls[id.0 as usize]);
        let direct = |of_trait: bool| {
            entries()
                .filter(move |entry| entry.def.trait_path.is_some() == of_trait)
                .find_map(|entry| entry.methods.get(name).copied())
        };
        if let Some(found) = direct(false).or_else(|| direct(true)) {
            return vec![found];
        }
        let by_default = entries().find_map(|entry| match &entry.trait_def {
            Some(Def::Trait(id)) => self.default_of(*id, name, 0),
            _ => None,
        });
        by_default.or_else(|| self.blanket.get(name).copied()).into_iter().collect()
    }

    /// Adds what an impl for every type gives; what an earlier one gave stays.
    fn add_blanket(&mut self, entry: &'a ImplEntry) {
        for (name, function) in &entry.methods {
            self.blanket.entry(name).or_insert(*function);
        }
        let mut level = match entry.trait_def {
            Some(Def::Trait(id)) => vec![id],
            _ => Vec::new(),
        };
        let index = self.index;
        let mut defaults: Vec<&'a str> = Vec::new();
        for _ in 0..=DEREFS + 1 {
            defaults.extend(level.iter().flat_map(|id| index.traits[id.0 as usize].methods.keys().map(String::as_str)));
            level.sort_unstable();
            level.dedup();
            level = level.iter().flat_map(|id| self.supertraits[id.0 as usize].iter().copied()).collect();
        }
        for name in defaults {
            if let (Some(Def::Trait(id)), false) = (&entry.trait_def, self.blanket.contains_key(name))
                && let Some(function) = self.default_of(*id, name, 0)
            {
                self.blanket.insert(name, function);
            }
        }
    }

    fn default_of(&self, id: TraitId, name: &str, depth: usize) -> Option<FnId> {
        let entry = &self.index.traits[id.0 as usize];
        if let Some(found) = entry.methods.get(name) {
            return Some(*found);
        }
        if depth > DEREFS {
            return None;
        }
        self.supertraits[id.0 as usize].iter().find_map(|id| self.default_of(*id, name, depth + 1))
    }

    /// A method of a trait: every implementation that is no test, and the default where one falls back on it.
    fn of_trait(&self, id: TraitId, name: &str, depth: usize) -> Vec<FnId> {
        let Some(declared) = self.index.traits[id.0 as usize].methods.get(name) else {
            if depth > DEREFS {
                return Vec::new();
            }
            let above = &self.supertraits[id.0 as usize];
            return above.iter().flat_map(|id| self.of_trait(*id, name, depth + 1)).collect();
        };
        let mut found: Vec<FnId> =
            self.impls_of(id).filter_map(|id| self.index.impls[id.0 as usize].methods.get(name).copied()).collect();
        found.push(*declared);
        found
    }

    /// Where values of the struct with this name are written out: `Name { .. }`, `Self { .. }` in its impls.
    #[must_use]
    pub fn literals(&self, id: TypeId) -> Vec<(FnId, ExprId)> {
        let table = self.literals.get_or_init(|| struct_literals(self.index));
        let name = self.index.types[id.0 as usize].name.as_str();
        let named = table.named.get(name).into_iter().flatten().copied();
        let own = table.own.get(&id).into_iter().flatten().copied();
        named.chain(own).filter(|(function, _)| !self.index.functions[function.0 as usize].test).collect()
    }
}

fn supertraits(index: &Index, entry: &TraitEntry) -> Vec<TraitId> {
    let resolved = entry.def.supertraits.iter().map(|path| index.resolve(entry.module, path));
    resolved.filter_map(|def| if let Some(Def::Trait(id)) = def { Some(id) } else { None }).collect()
}

fn constants(index: &Index) -> HashMap<(TypeId, &str), ConstId> {
    let mut table = HashMap::default();
    for (at, entry) in index.consts.iter().enumerate() {
        let holder = entry.impl_id.map(|id| &index.impls[id.0 as usize].self_def);
        if let Some(Some(Def::Type(id))) = holder {
            table.entry((*id, entry.name.as_str())).or_insert(ConstId(u32::try_from(at).unwrap_or(u32::MAX)));
        }
    }
    table
}

/// What an impl of a trait of this name says that its associated type is.
fn associated(index: &Index, catalog: &Catalog, id: ImplId, of_trait: &str, name: &str) -> Option<Type> {
    let entry = &index.impls[id.0 as usize];
    let led_to = match &entry.trait_def {
        Some(Def::External(path)) => Some(last_of(path)),
        _ => None,
    };
    let written = || Some(entry.def.trait_path.as_ref()?.segments.last()?.name.as_str());
    if led_to.or_else(written)? != of_trait {
        return None;
    }
    let item = entry.def.items.iter().find(|item| item.name == name)?;
    match &item.kind {
        ItemKind::Alias(ty) => Some(Names::of_impl(index, catalog, id).ty(ty)),
        _ => None,
    }
}

fn struct_literals(index: &Index) -> Literals<'_> {
    let mut table = Literals::default();
    for (at, entry) in index.functions.iter().enumerate() {
        let Some(body) = &entry.function.body else { continue };
        let function = FnId(u32::try_from(at).unwrap_or(u32::MAX));
        let holder = entry.impl_id.and_then(|id| index.impls[id.0 as usize].self_def.as_ref());
        for &id in &body.structs {
            let Expr::Struct { path, .. } = body.expr(id) else { continue };
            match (path.segments.last().map(|last| last.name.as_str()), holder) {
                (Some("Self"), Some(Def::Type(holder))) => table.own.entry(*holder).or_default().push((function, id)),
                (Some("Self"), _) | (None, _) => {}
                (Some(name), _) => table.named.entry(name).or_default().push((function, id)),
            }
        }
    }
    table
}

/// The path without its last name, and that name: `a::B::new` is `a::B` and `new`.
#[must_use]
pub fn split_member(path: &Path) -> Option<(Ty, &str)> {
    let (last, head) = path.segments.split_last()?;
    if let Some(qself) = &path.qself {
        return (head.len() <= 1 || path.segments.len() > 1).then(|| ((**qself).clone(), last.name.as_str()));
    }
    if head.is_empty() {
        return None;
    }
    let head = Path { qself: None, global: path.global, segments: head.to_vec() };
    Some((Ty::Path(head), &last.name))
}

impl Members<'_> {
    /// Traits from outside that a type of the workspace implements, by path.
    #[must_use]
    pub fn outside_traits(&self, ty: &Type) -> Vec<Arc<str>> {
        let Type::Local(id, _) = ty else { return Vec::new() };
        let impls = self.by_type.get(id).map_or(&[][..], Vec::as_slice);
        let traits = impls.iter().filter_map(|id| match &self.index.impls[id.0 as usize].trait_def {
            Some(Def::External(path)) => Some(Arc::clone(path)),
            _ => None,
        });
        traits.collect()
    }
}
