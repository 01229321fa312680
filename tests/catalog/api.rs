//! The public interface of published packages, read from their source with syn: modules, re-exports, methods.
//!
//! No build and no features: every `#[cfg]` but `test` counts as on, so an interface may hold more than one build has.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// What is known of a set of packages that re-export each other.
#[derive(Default)]
pub(crate) struct Api {
    pub(crate) modules: HashMap<String, Module>,
    /// Types, traits and functions by the path where they are defined.
    pub(crate) items: HashMap<String, Item>,
    /// Methods by the path of the type or trait that they are written for.
    pub(crate) methods: HashMap<String, Vec<Method>>,
    /// The traits that a type is written to implement, `Deref` targets among them.
    pub(crate) traits_of: HashMap<String, BTreeSet<String>>,
    /// Names inside macro calls and `macro_rules!`, which no reader without a compiler can place.
    pub(crate) in_macros: HashSet<String>,
    /// What every name of a module means, once linked.
    pub(crate) scopes: HashMap<String, BTreeMap<String, Meaning>>,
    /// How many files syn does not parse: those of the 2015 edition with `async` for a name.
    pub(crate) unread: usize,
    impls: Vec<(String, syn::ItemImpl)>,
    uses: Vec<(String, syn::ItemUse)>,
}

/// Definitions that one name stands for, each with whether it is public there.
#[derive(Default)]
pub(crate) struct Meaning {
    pub(crate) to: HashMap<String, bool>,
}

/// Where the files of modules are looked for.
struct Place {
    /// Those of modules without `#[path]`.
    below: PathBuf,
    /// Those of modules with it, and of `include!`.
    beside: PathBuf,
}

#[derive(Default)]
pub(crate) struct Module {
    pub(crate) names: BTreeMap<String, Vec<Binding>>,
    pub(crate) globs: Vec<(Vec<String>, bool)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) target: Target,
    pub(crate) public: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    Defined(String),
    Used(Vec<String>),
}

#[derive(Debug)]
pub(crate) enum Item {
    Type,
    Trait { supers: Vec<Vec<String>>, module: String },
    Function(Box<Method>),
    Alias { to: Vec<String>, module: String },
    Module,
}

/// A method or function as far as a call shows it.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    /// Arguments without the receiver.
    pub(crate) arity: usize,
    pub(crate) has_self: bool,
    pub(crate) is_async: bool,
    pub(crate) public: bool,
    pub(crate) output: Option<syn::Type>,
    /// The module that it is written in, for the names in `output`.
    pub(crate) module: String,
    /// The trait that it comes from.
    pub(crate) of_trait: Option<Vec<String>>,
    pub(crate) generics: Vec<String>,
}

impl Api {
    /// Adds the library of an unpacked package.
    pub(crate) fn add(&mut self, folder: &Path) -> Option<String> {
        let manifest: toml::Table = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()?;
        let lib = manifest.get("lib").and_then(|lib| lib.as_table());
        let named = |table: Option<&toml::Table>, key: &str| Some(table?.get(key)?.as_str()?.to_owned());
        let package = named(manifest.get("package").and_then(|table| table.as_table()), "name")?;
        let name = named(lib, "name").unwrap_or(package).replace('-', "_");
        let root = folder.join(named(lib, "path").unwrap_or_else(|| "src/lib.rs".to_owned()));
        self.module(&name);
        self.file(&name, &root, root.parent()?, 0);
        Some(name)
    }

    fn module(&mut self, path: &str) -> &mut Module {
        self.items.entry(path.to_owned()).or_insert(Item::Module);
        self.modules.entry(path.to_owned()).or_default()
    }

    fn file(&mut self, module: &str, path: &Path, below: &Path, depth: usize) {
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let parsed = syn::parse_file(&text);
        self.unread += usize::from(parsed.is_err());
        if let Ok(file) = parsed {
            let place = Place { below: below.to_owned(), beside: path.parent().unwrap_or(below).to_owned() };
            self.items(module, file.items, &place, depth);
        }
    }

    fn items(&mut self, module: &str, items: Vec<syn::Item>, place: &Place, depth: usize) {
        for item in items {
            self.item(module, item, place, depth);
        }
    }

    fn define(&mut self, module: &str, name: &str, public: bool, item: Item) -> String {
        let path = format!("{module}::{name}");
        let binding = Binding { target: Target::Defined(path.clone()), public };
        self.module(module).names.entry(name.to_owned()).or_default().push(binding);
        // A type and a function may share a name, and so may two under cfg: the first stands.
        self.items.entry(path.clone()).or_insert(item);
        path
    }

    /// Functions have names of their own beside modules and types: they are kept with `()`.
    fn define_function(&mut self, module: &str, public: bool, method: Method) {
        let path = format!("{module}::{}()", method.name);
        let binding = Binding { target: Target::Defined(path.clone()), public };
        self.module(module).names.entry(method.name.clone()).or_default().push(binding);
        self.items.entry(path).or_insert(Item::Function(Box::new(method)));
    }

    fn item(&mut self, module: &str, item: syn::Item, place: &Place, depth: usize) {
        if depth > 40 || attributes(&item).is_some_and(is_test) {
            return;
        }
        match item {
            syn::Item::Mod(item) => self.submodule(module, item, place, depth),
            syn::Item::Struct(item) => drop(self.define(module, &named(&item.ident), public(&item.vis), Item::Type)),
            syn::Item::Enum(item) => drop(self.define(module, &named(&item.ident), public(&item.vis), Item::Type)),
            syn::Item::Union(item) => drop(self.define(module, &named(&item.ident), public(&item.vis), Item::Type)),
            syn::Item::Type(item) => {
                let alias = path_of(&item.ty).map(|to| Item::Alias { to, module: module.to_owned() });
                self.define(module, &named(&item.ident), public(&item.vis), alias.unwrap_or(Item::Type));
            }
            syn::Item::Fn(item) => {
                let method = Method::of(&item.sig, public(&item.vis), module);
                self.define_function(module, public(&item.vis), method);
            }
            syn::Item::Trait(item) => self.a_trait(module, item),
            syn::Item::Impl(item) => self.impls.push((module.to_owned(), item)),
            syn::Item::Use(item) => self.uses.push((module.to_owned(), item)),
            syn::Item::Macro(item) if item.mac.path.is_ident("include") => {
                if let Ok(file) = item.mac.parse_body::<syn::LitStr>() {
                    self.file(module, &place.beside.join(file.value()), &place.below, depth + 1);
                }
            }
            syn::Item::Macro(item) => {
                self.seen_in_macro(item.mac.tokens.clone());
                if item.ident.is_none() {
                    self.items_in_macro(module, item.mac.tokens, place, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Items that a macro is given and most likely hands on: `cfg_if! { if #[cfg(..)] { pub use a::*; } }`.
    fn items_in_macro(&mut self, module: &str, tokens: proc_macro2::TokenStream, place: &Place, depth: usize) {
        if let Ok(file) = syn::parse2::<syn::File>(tokens.clone()) {
            return self.items(module, file.items, place, depth);
        }
        for token in tokens {
            if let proc_macro2::TokenTree::Group(group) = token
                && group.delimiter() == proc_macro2::Delimiter::Brace
                && depth <= 40
            {
                self.items_in_macro(module, group.stream(), place, depth + 1);
            }
        }
    }

    fn a_trait(&mut self, module: &str, item: syn::ItemTrait) {
        let supers = item.supertraits.iter().filter_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(segments(&bound.path)),
            _ => None,
        });
        let described = Item::Trait { supers: supers.collect(), module: module.to_owned() };
        let path = self.define(module, &named(&item.ident), public(&item.vis), described);
        for member in item.items {
            match member {
                syn::TraitItem::Fn(item) => {
                    let method = Method::of(&item.sig, true, module);
                    self.methods.entry(path.clone()).or_default().push(method);
                }
                syn::TraitItem::Macro(item) => self.seen_in_macro(item.mac.tokens),
                _ => {}
            }
        }
    }

    fn submodule(&mut self, module: &str, item: syn::ItemMod, place: &Place, depth: usize) {
        let name = named(&item.ident);
        let path = self.define(module, &name, public(&item.vis), Item::Module);
        self.module(&path);
        let written = item.attrs.iter().find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("path") => Some(literal(&pair.value)?),
            _ => None,
        });
        if let Some((_, items)) = item.content {
            let folder = match &written {
                Some(written) => place.beside.join(written),
                None => place.below.join(&name),
            };
            return self.items(&path, items, &Place { below: folder.clone(), beside: folder }, depth + 1);
        }
        let candidates: Vec<(PathBuf, PathBuf)> = match written {
            Some(written) => {
                let file = place.beside.join(&written);
                let below = file.parent().unwrap_or(&place.beside).to_path_buf();
                vec![(file, below)]
            }
            None => vec![
                (place.below.join(format!("{name}.rs")), place.below.join(&name)),
                (place.below.join(&name).join("mod.rs"), place.below.join(&name)),
            ],
        };
        for (file, below) in candidates {
            if file.is_file() {
                return self.file(&path, &file, &below, depth + 1);
            }
        }
    }

    fn seen_in_macro(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) => drop(self.in_macros.insert(name.to_string())),
                proc_macro2::TokenTree::Group(group) => self.seen_in_macro(group.stream()),
                _ => {}
            }
        }
    }

    /// Binds names and methods, once every package was added.
    pub(crate) fn link(&mut self) {
        for (module, item) in std::mem::take(&mut self.uses) {
            let public = public(&item.vis);
            let start = if item.leading_colon.is_some() { vec![String::new()] } else { Vec::new() };
            self.bind(&module, &item.tree, start, public);
        }
        self.bind_names();
        for (module, item) in std::mem::take(&mut self.impls) {
            self.an_impl(&module, item);
        }
    }

    fn bind(&mut self, module: &str, tree: &syn::UseTree, mut path: Vec<String>, public: bool) {
        let mut add = |name: String, path: Vec<String>| {
            let binding = Binding { target: Target::Used(path), public };
            self.module(module).names.entry(name).or_default().push(binding);
        };
        match tree {
            syn::UseTree::Path(tree) => {
                path.push(named(&tree.ident));
                self.bind(module, &tree.tree, path, public);
            }
            syn::UseTree::Name(tree) if tree.ident == "self" => add(path.last().cloned().unwrap_or_default(), path),
            syn::UseTree::Name(tree) => {
                path.push(named(&tree.ident));
                add(named(&tree.ident), path);
            }
            syn::UseTree::Rename(tree) => {
                if tree.ident != "self" {
                    path.push(named(&tree.ident));
                }
                add(named(&tree.rename), path);
            }
            syn::UseTree::Glob(_) => self.module(module).globs.push((path, public)),
            syn::UseTree::Group(tree) => {
                for tree in &tree.items {
                    self.bind(module, tree, path.clone(), public);
                }
            }
        }
    }

    fn an_impl(&mut self, module: &str, item: syn::ItemImpl) {
        let of_trait = item.trait_.as_ref().map(|(path, _)| segments(path));
        let generic: Vec<String> = item.generics.type_params().map(|param| named(&param.ident)).collect();
        let subject = path_of(&item.self_ty).unwrap_or_default();
        let blanket = matches!(subject.as_slice(), [one] if generic.contains(one));
        let mut subjects = if blanket { Vec::new() } else { self.resolve(module, &subject) };
        if let (true, Some(last)) = (subjects.is_empty() && !blanket, subject.last()) {
            // A type that a macro makes: its name is all that is known.
            subjects.push(format!("{}::?::{last}", module.split("::").next().unwrap_or(module)));
        }
        let traits = of_trait.as_ref().map(|path| self.resolve_or_written(module, path)).unwrap_or_default();
        for subject in &subjects {
            self.traits_of.entry(subject.clone()).or_default().extend(traits.iter().cloned());
            let given = of_trait.as_ref().and_then(|path| given_by(path.last()?)).into_iter().flatten();
            let given = given.map(|(name, arity)| Method::given(name, *arity, module));
            self.methods.entry(subject.clone()).or_default().extend(given);
        }
        for member in item.items {
            match member {
                syn::ImplItem::Fn(item) if !is_test(&item.attrs) => {
                    let shown = of_trait.is_some() || public(&item.vis);
                    let mut method = Method::of(&item.sig, shown, module);
                    method.of_trait.clone_from(&of_trait);
                    method.generics.extend(generic.iter().cloned());
                    for subject in &subjects {
                        self.methods.entry(subject.clone()).or_default().push(method.clone());
                    }
                }
                syn::ImplItem::Type(item) if item.ident == "Target" => {
                    let within = paths_within(&item.ty);
                    let targets: Vec<String> =
                        within.iter().flat_map(|path| self.resolve_or_written(module, path)).collect();
                    for subject in &subjects {
                        self.traits_of.entry(subject.clone()).or_default().extend(targets.iter().cloned());
                    }
                }
                syn::ImplItem::Macro(item) => self.seen_in_macro(item.mac.tokens),
                _ => {}
            }
        }
    }
}

/// Methods that extension traits of other crates give to every implementor of a trait.
fn given_by(name: &str) -> Option<&'static [(&'static str, usize)]> {
    Some(match name {
        "Future" | "IntoFuture" => &[("await", 0)],
        "Sink" => &[("feed", 1), ("send", 1), ("send_all", 1)],
        _ => return None,
    })
}

impl Method {
    fn given(name: &str, arity: usize, module: &str) -> Method {
        Method {
            name: name.to_owned(),
            arity,
            has_self: true,
            is_async: true,
            public: true,
            output: None,
            module: module.to_owned(),
            of_trait: None,
            generics: Vec::new(),
        }
    }

    fn of(sig: &syn::Signature, public: bool, module: &str) -> Method {
        let has_self = sig.receiver().is_some();
        Method {
            name: named(&sig.ident),
            arity: sig.inputs.len() - usize::from(has_self),
            has_self,
            is_async: sig.asyncness.is_some(),
            public,
            output: match &sig.output {
                syn::ReturnType::Default => None,
                syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
            },
            module: module.to_owned(),
            of_trait: None,
            generics: sig.generics.type_params().map(|param| named(&param.ident)).collect(),
        }
    }
}

fn named(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

fn public(vis: &syn::Visibility) -> bool {
    matches!(vis, syn::Visibility::Public(_))
}

/// The names of a path, generic arguments left out; a leading `::` is an empty name.
pub(crate) fn segments(path: &syn::Path) -> Vec<String> {
    let start = path.leading_colon.map(|_| String::new());
    start.into_iter().chain(path.segments.iter().map(|segment| named(&segment.ident))).collect()
}

/// The path of a type, references and parentheses taken off.
pub(crate) fn path_of(ty: &syn::Type) -> Option<Vec<String>> {
    match ty {
        syn::Type::Path(ty) if ty.qself.is_none() => Some(segments(&ty.path)),
        syn::Type::Reference(ty) => path_of(&ty.elem),
        syn::Type::Paren(ty) => path_of(&ty.elem),
        syn::Type::Group(ty) => path_of(&ty.elem),
        syn::Type::TraitObject(ty) => ty.bounds.iter().find_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => Some(segments(&bound.path)),
            _ => None,
        }),
        _ => None,
    }
}

fn literal(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        syn::Meta::Path(path) => path.is_ident("test"),
        _ => false,
    })
}

fn attributes(item: &syn::Item) -> Option<&[syn::Attribute]> {
    Some(match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        _ => return None,
    })
}

/// Every type path within a type: `Result<Option<RequestBuilder>, Error>` has three.
pub(crate) fn paths_within(ty: &syn::Type) -> Vec<Vec<String>> {
    struct Paths(Vec<Vec<String>>);
    impl<'a> Visit<'a> for Paths {
        fn visit_path(&mut self, path: &'a syn::Path) {
            self.0.push(segments(path));
            syn::visit::visit_path(self, path);
        }
    }
    let mut paths = Paths(Vec::new());
    paths.visit_type(ty);
    paths.0
}
