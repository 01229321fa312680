//! Other ways for a function to be given what it uses: behind a pointer, a field, a newtype, an accessor, a bound.

use syn::visit::{self, Visit};

use super::text::{Code, Edits, range};

/// How a parameter `NAME: &TYPE` is written instead.
pub(crate) struct Given {
    pub(crate) name: &'static str,
    param: &'static str,
    /// What the body starts with.
    first: &'static str,
    items: &'static str,
}

const NEWTYPE: &str = "struct Wrap0(TYPE); impl std::ops::Deref for Wrap0 { type Target = TYPE; \
    fn deref(&self) -> &TYPE { &self.0 } }\n";
const HOLDER: &str = "struct Wrap0 { inner_one: TYPE }\n";
const NESTED: &str = "struct Deep0 { inner_one: TYPE } struct Wrap0 { deep: std::sync::Arc<Deep0> }\n";
const ACCESSOR: &str = "struct Wrap0 { inner_one: TYPE } impl Wrap0 { fn one(&self) -> &TYPE { &self.inner_one } }\n";
const GENERIC: &str = "struct Wrap0<T> { inner_one: T }\n";

const fn given(name: &'static str, param: &'static str, first: &'static str, items: &'static str) -> Given {
    Given { name, param, first, items }
}

/// Every form.
pub(crate) const FORMS: [Given; 26] = [
    given("Arc", "NAME: std::sync::Arc<TYPE>", "", ""),
    given("reference to an Arc", "NAME: &std::sync::Arc<TYPE>", "", ""),
    given("Rc", "NAME: std::rc::Rc<TYPE>", "", ""),
    given("Box", "NAME: Box<TYPE>", "", ""),
    given("Cow", "NAME: std::borrow::Cow<'_, TYPE>", "", ""),
    given("two references", "NAME: &&TYPE", "", ""),
    given("LazyLock", "NAME: &std::sync::LazyLock<TYPE>", "", ""),
    given("OnceLock", "cell: &std::sync::OnceLock<TYPE>", "let NAME = cell.get().unwrap();", ""),
    given("Option", "cell: Option<&TYPE>", "let NAME = cell.unwrap();", ""),
    given("Option, let else", "cell: Option<&TYPE>", "let Some(NAME) = cell else { unreachable!() };", ""),
    given("Option, as_ref", "cell: &Option<TYPE>", "let NAME = cell.as_ref().unwrap();", ""),
    given("Result", "cell: Result<&TYPE, ()>", "let NAME = cell.unwrap();", ""),
    given("Mutex", "cell: &std::sync::Mutex<TYPE>", "let NAME = &*cell.lock().unwrap();", ""),
    given(
        "async RwLock",
        "cell: &tokio::sync::RwLock<TYPE>",
        "let NAME = cell.try_read().unwrap(); let NAME = &*NAME;",
        "",
    ),
    given("tuple", "(NAME, ()): (&TYPE, ())", "", ""),
    given("slice", "list: &[TYPE]", "let NAME = &list[0];", ""),
    given("iterator", "list: Vec<TYPE>", "let NAME = list.iter().next().unwrap();", ""),
    given("map", "list: &std::collections::HashMap<String, TYPE>", "let NAME = list.get(\"a\").unwrap();", ""),
    given("AsRef", "cell: impl AsRef<TYPE>", "let NAME = cell.as_ref();", ""),
    given("Deref bound", "NAME: impl std::ops::Deref<Target = TYPE>", "", ""),
    given("newtype", "NAME: &Wrap0", "", NEWTYPE),
    given("field", "holder: &Wrap0", "let NAME = &holder.inner_one;", HOLDER),
    given("field of a field", "holder: &Wrap0", "let NAME = &holder.deep.inner_one;", NESTED),
    given("destructured", "Wrap0 { inner_one: NAME, .. }: &Wrap0", "", HOLDER),
    given("accessor", "holder: &Wrap0", "let NAME = holder.one();", ACCESSOR),
    given("generic field", "holder: &Wrap0<TYPE>", "let NAME = &holder.inner_one;", GENERIC),
];

struct Finder<'c> {
    code: &'c Code,
    form: &'c Given,
    edits: Edits,
    items: String,
    count: usize,
}

/// The text with the form for the first parameter that it fits, in every function that nothing here calls.
pub(crate) fn written(code: &Code, form: &Given) -> Option<String> {
    let mut finder = Finder { code, form, edits: Edits::default(), items: String::new(), count: 0 };
    finder.visit_file(&code.file);
    Some(format!("{}{}", finder.items, finder.edits.apply(&code.text)?))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let name = item.sig.ident.to_string();
        let uses =
            self.code.text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == name).count();
        if uses == 1 && item.attrs.is_empty() {
            self.rewrite(&item.sig, &item.block);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        // The new types stand at the top of the file.
        if item.content.is_none() {
            visit::visit_item_mod(self, item);
        }
    }
}

impl Finder<'_> {
    fn rewrite(&mut self, sig: &syn::Signature, block: &syn::Block) -> Option<()> {
        let typed = sig.inputs.iter().find_map(|input| match input {
            syn::FnArg::Typed(typed) if self.fits(sig, typed) => Some(typed),
            _ => None,
        })?;
        let syn::Pat::Ident(ident) = &*typed.pat else { return None };
        let syn::Type::Reference(reference) = &*typed.ty else { return None };
        let (name, ty) = (ident.ident.to_string(), self.code.of(&reference.elem));
        let wrap = format!("Wrap{}", self.count);
        let filled = |text: &str| {
            let text = text.replace("Wrap0", &wrap).replace("Deep0", &format!("Deep{}", self.count));
            text.replace("NAME", &name).replace("TYPE", ty)
        };
        self.edits.put(range(typed), filled(self.form.param));
        self.edits.insert(range(block).start + 1, filled(self.form.first));
        let items = filled(self.form.items);
        self.items.push_str(&items);
        self.count += 1;
        Some(())
    }

    /// `x: &path::Type`, without lifetimes and generics of the function.
    fn fits(&self, sig: &syn::Signature, typed: &syn::PatType) -> bool {
        let syn::Pat::Ident(ident) = &*typed.pat else { return false };
        let syn::Type::Reference(reference) = &*typed.ty else { return false };
        let syn::Type::Path(path) = &*reference.elem else { return false };
        let text = self.code.of(&reference.elem);
        let generic = sig.generics.type_params().any(|param| path.path.is_ident(&param.ident));
        let plain = !["str", "String"].contains(&text) && !text.contains('\'') && path.path.segments.last().is_some();
        ident.by_ref.is_none() && reference.mutability.is_none() && reference.lifetime.is_none() && plain && !generic
    }
}
