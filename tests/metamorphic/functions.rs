//! Other ways to write a function: its body in a helper, a trait, a macro, a closure, another file.

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

use super::text::{Code, Edits, range};

/// A function with a body, free or in an impl block of its own type.
pub(crate) struct Written<'c> {
    code: &'c Code,
    pub(crate) attrs: &'c [syn::Attribute],
    pub(crate) sig: &'c syn::Signature,
    pub(crate) block: &'c syn::Block,
    /// In an impl block.
    pub(crate) method: bool,
}

impl<'c> Written<'c> {
    fn body(&self) -> &'c str {
        let text = self.code.of(self.block);
        &text[1..text.len() - 1]
    }

    fn inside(&self) -> std::ops::Range<usize> {
        let range = range(self.block);
        range.start + 1..range.end - 1
    }

    fn name(&self) -> String {
        self.sig.ident.to_string()
    }

    fn is_async(&self) -> bool {
        self.sig.asyncness.is_some()
    }

    fn awaited(&self) -> &'static str {
        if self.is_async() { ".await" } else { "" }
    }

    fn keyword(&self) -> &'static str {
        if self.is_async() { "async fn" } else { "fn" }
    }

    fn output(&self) -> String {
        match &self.sig.output {
            syn::ReturnType::Default => "()".to_owned(),
            syn::ReturnType::Type(_, ty) => self.code.of(ty).to_owned(),
        }
    }

    /// `<T: X>`, and the `where` clause.
    fn generics(&self) -> (String, String) {
        let written = |node: &dyn Fn() -> Option<std::ops::Range<usize>>| {
            node().map(|range| self.code.text[range].to_owned()).unwrap_or_default()
        };
        let generics = &self.sig.generics;
        let list = || Some(generics.lt_token?.span().byte_range().start..generics.gt_token?.span().byte_range().end);
        (written(&list), written(&|| generics.where_clause.as_ref().map(range)))
    }

    /// Parameters as they are written, receiver left out, and the names to hand on. Nothing when a pattern is more
    /// than a name.
    fn params(&self) -> Option<(Vec<String>, Vec<String>)> {
        let (mut params, mut names) = (Vec::new(), Vec::new());
        for input in &self.sig.inputs {
            let syn::FnArg::Typed(typed) = input else { continue };
            let syn::Pat::Ident(ident) = &*typed.pat else { return None };
            params.push(self.code.of(typed).to_owned());
            names.push(ident.ident.to_string());
        }
        Some((params, names))
    }

    fn receiver(&self) -> Option<&str> {
        self.sig.receiver().map(|receiver| self.code.of(receiver))
    }

    /// Whether its body is plain enough to stand elsewhere under the same names: nothing of `Self`.
    fn moves(&self) -> bool {
        self.sig.variadic.is_none() && !self.sig.inputs.iter().any(|input| self.code.of(input).contains("Self"))
    }
}

struct Finder<'c> {
    code: &'c Code,
    found: Vec<Written<'c>>,
}

impl<'c> Visit<'c> for Finder<'c> {
    fn visit_item_fn(&mut self, item: &'c syn::ItemFn) {
        self.found.push(Written {
            code: self.code,
            attrs: &item.attrs,
            sig: &item.sig,
            block: &item.block,
            method: false,
        });
    }

    fn visit_item_impl(&mut self, item: &'c syn::ItemImpl) {
        for member in item.items.iter().filter(|_| item.trait_.is_none()) {
            if let syn::ImplItem::Fn(f) = member {
                self.found.push(Written {
                    code: self.code,
                    attrs: &f.attrs,
                    sig: &f.sig,
                    block: &f.block,
                    method: true,
                });
            }
        }
    }

    fn visit_item_mod(&mut self, item: &'c syn::ItemMod) {
        // What is for tests stays where it is.
        if !item.attrs.iter().any(|attr| attr.path().is_ident("cfg")) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn functions(code: &Code) -> Vec<Written<'_>> {
    let mut finder = Finder { code, found: Vec::new() };
    finder.visit_file(&code.file);
    finder.found
}

/// A rewrite of every function that it fits.
pub(crate) type Rewrite = fn(&Written, &mut Edits) -> Option<()>;

/// Every rewrite by name.
pub(crate) const REWRITES: [(&str, Rewrite); 22] = [
    ("body in a function of its own, nested", nested),
    ("body in a method of its own", sibling),
    ("body in a function beside it", beside),
    ("body behind a function value", function_value),
    ("body behind a table of functions", table),
    ("body in a trait's only implementation", trait_method),
    ("body in a trait's only implementation, dyn", dyn_method),
    ("body in a trait's only implementation, generic", generic_method),
    ("body in a trait's default method", default_method),
    ("body in an associated function", associated),
    ("body in a closure", closure),
    ("body in an async closure", async_closure),
    ("body in a macro", in_macro),
    ("body in a macro arm's block", in_macro_block),
    ("body in an async block that is returned", returned_future),
    ("body in a boxed future that is returned", boxed_future),
    ("body in an async block", async_block),
    ("body in an inner block", inner_block),
    ("body in an inner module", inner_module),
    ("attributes", attributes),
    ("an extra generic", more_generics),
    ("body through two helpers", twice),
];

pub(crate) fn rewritten(code: &Code, rewrite: Rewrite) -> Option<String> {
    let mut edits = Edits::default();
    for function in functions(code) {
        let mut own = Edits::default();
        if function.moves() && rewrite(&function, &mut own).is_some() {
            edits.extend(own);
        }
    }
    edits.apply(&code.text)
}

/// What helpers are named after: the name of a function is a part of what it says, so a helper keeps its words.
fn named(f: &Written) -> String {
    format!("{}_inner", f.name())
}

fn helper(f: &Written, name: &str) -> Option<(String, String)> {
    let (params, names) = f.params()?;
    let (generics, clause) = f.generics();
    let (keyword, output) = (f.keyword(), f.output());
    let function = format!("{keyword} {name}{generics}({}) -> {output} {clause} {{{}}}", params.join(", "), f.body());
    Some((function, names.join(", ")))
}

fn nested(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.receiver().is_some() || f.body().contains("Self") {
        return None;
    }
    let name = named(f);
    let (function, names) = helper(f, &name)?;
    edits.put(f.inside(), format!("{function} {name}({names}){}", f.awaited()));
    Some(())
}

fn beside(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.method || !f.attrs.is_empty() {
        return None;
    }
    let name = named(f);
    let (function, names) = helper(f, &name)?;
    edits.put(f.inside(), format!("{name}({names}){}", f.awaited()));
    edits.insert(range(f.block).end, format!("\n{function}"));
    Some(())
}

fn twice(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.method || !f.attrs.is_empty() {
        return None;
    }
    let (low, mid) = (format!("{}_low", f.name()), format!("{}_mid", f.name()));
    let (function, names) = helper(f, &low)?;
    let (generics, clause) = f.generics();
    let (params, _) = f.params()?;
    let (keyword, output, awaited) = (f.keyword(), f.output(), f.awaited());
    edits.put(f.inside(), format!("{mid}({names}){awaited}"));
    let middle =
        format!("{keyword} {mid}{generics}({}) -> {output} {clause} {{ {low}({names}){awaited} }}", params.join(", "));
    edits.insert(range(f.block).end, format!("\n{middle}\n{function}"));
    Some(())
}

/// For methods: another method of the same type.
fn sibling(f: &Written, edits: &mut Edits) -> Option<()> {
    let receiver = f.receiver()?;
    let name = named(f);
    let (params, names) = f.params()?;
    let (generics, clause) = f.generics();
    let params: Vec<String> = std::iter::once(receiver.to_owned()).chain(params).collect();
    let (keyword, output) = (f.keyword(), f.output());
    edits.put(f.inside(), format!("self.{name}({}){}", names.join(", "), f.awaited()));
    let function = format!("{keyword} {name}{generics}({}) -> {output} {clause} {{{}}}", params.join(", "), f.body());
    edits.insert(range(f.block).end, format!("\n{function}"));
    Some(())
}

fn function_value(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.receiver().is_some() || f.body().contains("Self") || f.generics().0.contains(|c: char| c.is_uppercase()) {
        return None;
    }
    let name = named(f);
    let (function, names) = helper(f, &name)?;
    edits.put(f.inside(), format!("{function} let call = {name}; call({names}){}", f.awaited()));
    Some(())
}

fn table(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.receiver().is_some() || f.body().contains("Self") || f.generics().0.contains(|c: char| c.is_uppercase()) {
        return None;
    }
    let name = named(f);
    let (function, names) = helper(f, &name)?;
    edits.put(f.inside(), format!("{function} let calls = [{name}]; (calls[0])({names}){}", f.awaited()));
    Some(())
}

/// A trait, a unit struct and the implementation, beside the function.
fn with_trait(f: &Written, edits: &mut Edits, attribute: &str, body: &str, call: &str) -> Option<()> {
    if f.method || f.attrs.iter().any(|attr| !attr.path().is_ident("doc")) {
        return None;
    }
    let name = f.name();
    let (params, names) = f.params()?;
    let (generics, clause) = f.generics();
    let params: Vec<String> = std::iter::once("&self".to_owned()).chain(params).collect();
    let head = format!("{} run_it{generics}({}) -> {} {clause}", f.keyword(), params.join(", "), f.output());
    let body = body.replace("HEAD", &head).replace("BODY", f.body());
    edits.put(f.inside(), call.replace("NAME", &name).replace("ARGS", &names.join(", ")).replace("AWAIT", f.awaited()));
    let body = body.replace("NAME", &name).replace("ATTR", attribute);
    edits.insert(range(f.block).end, format!("\n{body}"));
    Some(())
}

const TRAIT: &str = "struct Runs_NAME; ATTR trait Run_NAME { HEAD; } ATTR impl Run_NAME for Runs_NAME { HEAD {BODY} }";

fn trait_method(f: &Written, edits: &mut Edits) -> Option<()> {
    with_trait(f, edits, "", TRAIT, "Runs_NAME.run_it(ARGS)AWAIT")
}

fn dyn_method(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.generics().0.contains(|c: char| c.is_uppercase())
        || f.sig.inputs.iter().any(|arg| f.code.of(arg).contains("impl "))
    {
        return None;
    }
    let call = "let runner: std::sync::Arc<dyn Run_NAME> = std::sync::Arc::new(Runs_NAME); runner.run_it(ARGS)AWAIT";
    with_trait(f, edits, "#[async_trait::async_trait]", TRAIT, call)
}

fn generic_method(f: &Written, edits: &mut Edits) -> Option<()> {
    if !f.generics().0.is_empty() {
        return None;
    }
    let (params, names) = f.params()?;
    let (params, names) = (params.join(", "), names.join(", "));
    let (keyword, output, awaited) = (f.keyword(), f.output(), f.awaited());
    let through = format!(
        "{keyword} through_NAME<R: Run_NAME>(runner: &R, {params}) -> {output} {{ runner.run_it({names}){awaited} }}"
    );
    with_trait(f, edits, "", &format!("{TRAIT} {through}"), "through_NAME(&Runs_NAME, ARGS)AWAIT")
}

fn default_method(f: &Written, edits: &mut Edits) -> Option<()> {
    let items = "struct Runs_NAME; trait Run_NAME { HEAD {BODY} } impl Run_NAME for Runs_NAME {}";
    with_trait(f, edits, "", items, "Runs_NAME.run_it(ARGS)AWAIT")
}

fn associated(f: &Written, edits: &mut Edits) -> Option<()> {
    let items = "struct Runs_NAME; impl Runs_NAME { HEAD {BODY} }";
    with_trait(f, edits, "", items, "Runs_NAME::run_it(&Runs_NAME, ARGS)AWAIT")
}

fn inner_module(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.method || f.attrs.iter().any(|attr| !attr.path().is_ident("doc")) || f.body().contains("super::") {
        return None;
    }
    let (function, names) = helper(f, "moved_here")?;
    let module = format!("module_of_{}", f.name());
    edits.put(f.inside(), format!("{module}::moved_here({names}){}", f.awaited()));
    edits.insert(range(f.block).end, format!("\nmod {module} {{ use super::*; pub(super) {function} }}"));
    Some(())
}

fn closure(f: &Written, edits: &mut Edits) -> Option<()> {
    if f.is_async() {
        return None;
    }
    edits.put(f.inside(), format!("let run = || -> {} {{{}}}; run()", closure_output(f)?, f.body()));
    Some(())
}

fn closure_output(f: &Written) -> Option<String> {
    let output = f.output();
    (!output.contains("impl ")).then_some(output)
}

fn async_closure(f: &Written, edits: &mut Edits) -> Option<()> {
    if !f.is_async() {
        return None;
    }
    edits.put(f.inside(), format!("let run = async move || -> {} {{{}}}; run().await", closure_output(f)?, f.body()));
    Some(())
}

fn in_macro(f: &Written, edits: &mut Edits) -> Option<()> {
    let module = "macro_rules! run_tokens { ($($it:tt)*) => { $($it)* }; }";
    edits.put(f.inside(), format!("{module} run_tokens! {{{}}}", f.body()));
    Some(())
}

fn in_macro_block(f: &Written, edits: &mut Edits) -> Option<()> {
    let module = "macro_rules! run_block { ($it:block) => { $it }; }";
    edits.put(f.inside(), format!("{module} run_block!({{{}}})", f.body()));
    Some(())
}

fn without_async(f: &Written, edits: &mut Edits, output: &str, body: &str) -> Option<()> {
    let keyword = f.sig.asyncness?;
    // `async_trait` and attributes that look for `async` see something else.
    if !f.attrs.is_empty() {
        return None;
    }
    edits.put(keyword.span().byte_range(), "");
    let after = f.sig.paren_token.span.close().byte_range().end;
    let written = match &f.sig.output {
        syn::ReturnType::Default => after..after,
        syn::ReturnType::Type(_, ty) => after..range(ty).end,
    };
    edits.put(written, format!(" -> {}", output.replace('$', &closure_output(f)?)));
    edits.put(f.inside(), body.replace('$', f.body()));
    Some(())
}

fn returned_future(f: &Written, edits: &mut Edits) -> Option<()> {
    without_async(f, edits, "impl std::future::Future<Output = $>", "async move {$}")
}

fn boxed_future(f: &Written, edits: &mut Edits) -> Option<()> {
    without_async(
        f,
        edits,
        "std::pin::Pin<Box<dyn std::future::Future<Output = $> + Send + '_>>",
        "Box::pin(async move {$})",
    )
}

fn async_block(f: &Written, edits: &mut Edits) -> Option<()> {
    f.sig.asyncness?;
    edits.put(f.inside(), format!("let work = async move {{{}}}; work.await", f.body()));
    Some(())
}

fn inner_block(f: &Written, edits: &mut Edits) -> Option<()> {
    edits.put(f.inside(), format!("{{ {{{}}} }}", f.body()));
    Some(())
}

fn attributes(f: &Written, edits: &mut Edits) -> Option<()> {
    let at = f.sig.span().byte_range().start;
    // Behind what is written before `fn`: `pub`.
    let before = f.code.text[..at].trim_end();
    if before.ends_with("pub") || before.ends_with(')') {
        return None;
    }
    edits.insert(at, "#[cfg(not(test))] #[inline] #[allow(unused)] #[tracing::instrument(skip_all)] ");
    Some(())
}

fn more_generics(f: &Written, edits: &mut Edits) -> Option<()> {
    let generics = &f.sig.generics;
    if generics.lt_token.is_some() || f.name() == "main" {
        return None;
    }
    edits.insert(range(&f.sig.ident).end, "<'extra>");
    Some(())
}
