//! Items -> entries and names.

use rustc_hash::FxHashMap as HashMap;

use crate::scan::index::{
    ConstEntry, ConstId, Def, FnEntry, FnId, ImplEntry, ImplId, MacroEntry, MacroId, ModuleId, TraitEntry, TraitId,
    TypeEntry, TypeId, TypeKind, join,
};
use crate::scan::ir::{Body, Expr, Function, Impl, Import, Item, ItemKind, MacroArm, Stmt, TraitDef, Ty};

use super::files::{Place, Walk};
use super::lookup::{Declared, GlobUse, Slots, Use};

/// What holds a function.
#[derive(Clone, Copy, Default)]
struct Holder {
    impl_id: Option<ImplId>,
    trait_id: Option<TraitId>,
    outer: Option<FnId>,
}

impl Walk<'_> {
    /// Gives the items of a place their entries.
    pub(super) fn collect(&mut self, place: &Place, items: Vec<Item>) {
        self.collect_in(place, items, None);
    }

    fn collect_in(&mut self, place: &Place, items: Vec<Item>, outer: Option<FnId>) {
        for item in items {
            self.one(place, item, outer);
        }
    }

    fn one(&mut self, place: &Place, mut item: Item, outer: Option<FnId>) {
        let test = place.test || item.test;
        let kind = std::mem::replace(&mut item.kind, ItemKind::Include(None));
        let def = match kind {
            ItemKind::Mod { items, path } => Def::Module(self.module_item(place, &item, items, path, test)),
            ItemKind::Use(imports) => return self.imports(place, &item, imports),
            ItemKind::ExternCrate(name) => {
                let import = Import { path: vec![name], global: true, name: item.name.clone(), glob: false };
                return self.imports(place, &item, vec![import]);
            }
            ItemKind::Fn(function) => Def::Fn(self.function(
                place,
                item_head(&mut item),
                function,
                Holder { outer, ..Holder::default() },
                test,
            )),
            ItemKind::Struct(fields) => Def::Type(self.type_entry(place, &mut item, TypeKind::Struct(fields))),
            ItemKind::Enum(variants) => Def::Type(self.type_entry(place, &mut item, TypeKind::Enum(variants))),
            ItemKind::Alias(ty) => Def::Type(self.type_entry(place, &mut item, TypeKind::Alias(ty))),
            ItemKind::Impl(def) => return self.implementation(place, def, test),
            ItemKind::Trait(def) => Def::Trait(self.declaration(place, &mut item, def, test)),
            ItemKind::Const { ty, value } => {
                let value = self.body(place, value, &item.name, None, test);
                self.initialiser(place, &mut item, (&ty, &value), Holder { outer, ..Holder::default() }, test);
                Def::Const(self.constant(place, &item.name, None, ty, value))
            }
            ItemKind::MacroRules(arms) => Def::Macro(self.rules(place, &item.name, arms, test)),
            ItemKind::Include(Some(path)) => {
                if let Some((place, items)) = self.included(place, &path) {
                    self.collect_in(&place, items, outer);
                }
                return;
            }
            ItemKind::MacroCall { path, tokens } if !test => {
                let scope = &mut self.index.scopes[place.module.0 as usize];
                scope.open |= makes_names(&path);
                return self.index.item_macros.push((place.module, tokens));
            }
            ItemKind::Include(None) => {
                self.index.scopes[place.module.0 as usize].open = true;
                return;
            }
            ItemKind::MacroCall { .. } => return,
        };
        self.declare(place.module, &item, def, test);
    }

    /// A name; what code declares wins over what tests declare.
    fn declare(&mut self, module: ModuleId, item: &Item, def: Def, test: bool) {
        let exported = item.public && item.exported;
        let macro_export = item.attributes.iter().any(|attribute| attribute.path == "macro_export");
        let declared = Declared {
            slots: Slots::of(def),
            public: item.public || macro_export,
            exported: exported || macro_export,
            test,
        };
        if macro_export {
            let root = self.index.root(module);
            self.add_name(root, &item.name, declared.clone());
        }
        self.add_name(module, &item.name, declared);
    }

    fn add_name(&mut self, module: ModuleId, name: &str, declared: Declared) {
        let names = &mut self.index.scopes[module.0 as usize].items;
        let Some(before) = names.get_mut(name) else {
            names.insert(name.to_owned(), declared);
            return;
        };
        let (first, second) =
            if before.test && !declared.test { (declared, before.clone()) } else { (before.clone(), declared) };
        *before = Declared {
            slots: first.slots.or(second.slots),
            public: first.public || second.public,
            exported: first.exported || second.exported,
            test: first.test,
        };
    }

    fn module_item(
        &mut self,
        place: &Place,
        item: &Item,
        items: Option<Vec<Item>>,
        path: Option<String>,
        test: bool,
    ) -> ModuleId {
        let Some(items) = items else { return self.file_module(place, &item.name, path.as_deref(), test) };
        let module = self.add_child(place, place.file, &item.name, test);
        let folder = join(&place.folder, path.as_deref().unwrap_or(&item.name));
        self.collect(&Place { module, file: place.file, folder, inline: true, test }, items);
        module
    }

    fn imports(&mut self, place: &Place, item: &Item, imports: Vec<Import>) {
        let exported = item.public && item.exported;
        let scope = &mut self.index.scopes[place.module.0 as usize];
        for import in imports {
            if import.glob {
                scope.globs.push(GlobUse { import, public: item.public, exported, target: None });
            } else {
                scope.uses.push(Use::new(import, item.public, exported));
            }
        }
    }

    fn function(&mut self, place: &Place, head: Head, mut function: Function, holder: Holder, test: bool) -> FnId {
        let id = FnId(u32::try_from(self.index.functions.len()).unwrap_or(u32::MAX));
        let body = function.body.take();
        self.index.functions.push(FnEntry {
            name: head.name,
            path: String::new(),
            module: place.module,
            file: place.file,
            span: head.span,
            name_span: head.name_span,
            // Whether the item itself says so; `link` looks at what holds it.
            exported: head.exported,
            test,
            impl_id: holder.impl_id,
            trait_id: holder.trait_id,
            outer: holder.outer,
            attributes: head.attributes,
            docs: head.docs,
            function,
        });
        if let Some(body) = body {
            let name = self.index.functions[id.0 as usize].name.clone();
            let (body, module) = self.body_of(place, body, &name, Some(id), test);
            let entry = &mut self.index.functions[id.0 as usize];
            entry.function.body = Some(body);
            entry.module = module;
        }
        id
    }

    fn body(&mut self, place: &Place, body: Body, name: &str, outer: Option<FnId>, test: bool) -> Body {
        self.body_of(place, body, name, outer, test).0
    }

    /// Takes the items out of a body. Where there are some, the body sees a module of its own.
    fn body_of(
        &mut self,
        place: &Place,
        mut body: Body,
        name: &str,
        outer: Option<FnId>,
        test: bool,
    ) -> (Body, ModuleId) {
        if !body.items {
            return (body, place.module);
        }
        let mut items = Vec::new();
        for node in &mut body.nodes {
            let Expr::Block { stmts, .. } = &mut node.expr else { continue };
            if !stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))) {
                continue;
            }
            for stmt in std::mem::take(stmts) {
                match stmt {
                    Stmt::Item(item) => items.push(*item),
                    Stmt::Let { .. } | Stmt::Expr { .. } => stmts.push(stmt),
                }
            }
        }
        let inner = self.block(place, name, test);
        let module = inner.module;
        self.collect_in(&inner, items, outer);
        (body, module)
    }

    /// The inside of something that is no module and has names.
    fn block(&mut self, place: &Place, name: &str, test: bool) -> Place {
        let module = self.add_child(place, place.file, name, test);
        self.index.modules[module.0 as usize].block = true;
        Place { module, test, ..place.clone() }
    }

    fn type_entry(&mut self, place: &Place, item: &mut Item, kind: TypeKind) -> TypeId {
        let id = TypeId(u32::try_from(self.index.types.len()).unwrap_or(u32::MAX));
        self.index.types.push(TypeEntry {
            name: item.name.clone(),
            path: String::new(),
            module: place.module,
            file: place.file,
            name_span: item.name_span,
            attributes: std::mem::take(&mut item.attributes),
            docs: std::mem::take(&mut item.docs),
            kind,
        });
        id
    }

    fn constant(
        &mut self,
        place: &Place,
        name: &str,
        impl_id: Option<ImplId>,
        ty: crate::scan::ir::Ty,
        value: Body,
    ) -> ConstId {
        let id = ConstId(u32::try_from(self.index.consts.len()).unwrap_or(u32::MAX));
        let (module, file) = (place.module, place.file);
        self.index.consts.push(ConstEntry { name: name.to_owned(), module, file, impl_id, ty, value });
        id
    }

    /// The closure that makes a static's value runs when the static is first used: a function without a name
    /// that anybody could call, so that what it sends has somewhere to stand.
    fn initialiser(&mut self, place: &Place, item: &mut Item, (ty, value): (&Ty, &Body), holder: Holder, test: bool) {
        if !value.nodes.iter().any(|node| matches!(node.expr, Expr::Closure { .. })) {
            return;
        }
        let function = Function {
            is_async: false,
            has_self: false,
            generics: Vec::new(),
            params: Vec::new(),
            returns: ty.clone(),
            body: Some(value.clone()),
        };
        let head = Head { exported: false, ..item_head(item) };
        self.function(place, head, function, holder, test);
    }

    fn rules(&mut self, place: &Place, name: &str, mut arms: Vec<MacroArm>, test: bool) -> MacroId {
        let id = MacroId(u32::try_from(self.index.macros.len()).unwrap_or(u32::MAX));
        let items: Vec<Item> = arms.iter_mut().flat_map(|arm| std::mem::take(&mut arm.items)).collect();
        for arm in &mut arms {
            arm.body = self.body(place, std::mem::take(&mut arm.body), name, None, test);
        }
        let (module, file) = (place.module, place.file);
        self.index.macros.push(MacroEntry { name: name.to_owned(), module, file, arms });
        if !items.is_empty() {
            // Where the items will stand only the callers know; here they see what the macro sees.
            let inner = self.block(place, name, test);
            self.collect(&inner, items);
        }
        id
    }

    fn implementation(&mut self, place: &Place, mut def: Impl, test: bool) {
        let id = ImplId(u32::try_from(self.index.impls.len()).unwrap_or(u32::MAX));
        let items = std::mem::take(&mut def.items);
        self.index.impls.push(ImplEntry {
            module: place.module,
            test,
            def,
            self_def: None,
            trait_def: None,
            methods: HashMap::default(),
        });
        let holder = Holder { impl_id: Some(id), ..Holder::default() };
        let (methods, rest) = self.members(place, items, holder, test);
        let entry = &mut self.index.impls[id.0 as usize];
        entry.methods = methods;
        entry.def.items = rest;
    }

    fn declaration(&mut self, place: &Place, item: &mut Item, mut def: TraitDef, test: bool) -> TraitId {
        let id = TraitId(u32::try_from(self.index.traits.len()).unwrap_or(u32::MAX));
        let items = std::mem::take(&mut def.items);
        self.index.traits.push(TraitEntry {
            name: item.name.clone(),
            path: String::new(),
            module: place.module,
            def,
            methods: HashMap::default(),
        });
        let holder = Holder { trait_id: Some(id), ..Holder::default() };
        let (methods, rest) = self.members(place, items, holder, test);
        let entry = &mut self.index.traits[id.0 as usize];
        entry.methods = methods;
        entry.def.items = rest;
        id
    }

    /// Functions and constants of an impl or trait get entries; associated types stay.
    fn members(
        &mut self,
        place: &Place,
        items: Vec<Item>,
        holder: Holder,
        test: bool,
    ) -> (HashMap<String, FnId>, Vec<Item>) {
        let (mut methods, mut rest) = (HashMap::default(), Vec::new());
        for mut item in items {
            let test = test || item.test;
            match std::mem::replace(&mut item.kind, ItemKind::Include(None)) {
                ItemKind::Fn(function) => {
                    let name = item.name.clone();
                    let id = self.function(place, item_head(&mut item), function, holder, test);
                    methods.entry(name).or_insert(id);
                }
                ItemKind::Const { ty, value } => {
                    let value = self.body(place, value, &item.name, None, test);
                    self.initialiser(place, &mut item, (&ty, &value), holder, test);
                    self.constant(place, &item.name, holder.impl_id, ty, value);
                }
                kind => rest.push(Item { kind, ..item }),
            }
        }
        (methods, rest)
    }
}

/// Whether a macro in item place is known to make types and modules from a file that is no Rust.
fn makes_names(path: &str) -> bool {
    let last = path.rsplit("::").next().unwrap_or(path).trim();
    last.starts_with("include") || last.starts_with("generate") || last.contains("bindgen")
}

/// What a function's entry takes from its item.
struct Head {
    name: String,
    span: crate::source::Span,
    name_span: crate::source::Span,
    exported: bool,
    attributes: Vec<crate::scan::ir::Attribute>,
    docs: Vec<String>,
}

fn item_head(item: &mut Item) -> Head {
    Head {
        name: item.name.clone(),
        span: item.span,
        name_span: item.name_span,
        exported: item.public && item.exported,
        attributes: std::mem::take(&mut item.attributes),
        docs: std::mem::take(&mut item.docs),
    }
}
