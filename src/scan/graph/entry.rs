//! Where the outside world comes in: `main`, exported functions, handlers, tools, traits of other crates.

use crate::scan::graph::mentions::Names;
use crate::scan::index::{ConstId, Def, FnId, Index};
use crate::scan::ir::{Body, Expr, ExprId, Path};
use crate::scan::types::Types;
use crate::scan::types::call::Target;
use crate::scan::types::eval::Eval;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::value::Scope;

/// How the outside world comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `main` of a binary.
    Main,
    /// Another crate can name it, and nothing here calls it.
    Exported,
    /// Registered with a router or dispatcher, named by a constant or a macro of items, or marked as a handler,
    /// command or tool by an attribute.
    Handler,
    /// A method of a trait that another crate calls.
    OutsideTrait,
}

/// Attributes, by their last name, that leave who calls a function as it is. Any other may hand it to something
/// that nobody here sees.
const HARMLESS: [&str; 26] = [
    "allow",
    "async_recursion",
    "async_trait",
    "automock",
    "autometrics",
    "builder",
    "cached",
    "cfg",
    "cfg_attr",
    "cold",
    "debug_handler",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "instrument",
    "must_use",
    "named",
    "rustfmt",
    "skip",
    "target_feature",
    "trace",
    "track_caller",
    "warn",
];

/// Frameworks whose functions take handlers.
const FRAMEWORKS: [&str; 17] = [
    "actix",
    "actix_web",
    "aide",
    "axum",
    "axum_extra",
    "dptree",
    "lambda_http",
    "lambda_runtime",
    "ntex",
    "poem",
    "poise",
    "rocket",
    "salvo",
    "teloxide",
    "tide",
    "utoipa_axum",
    "warp",
];

/// Traits of other crates whose methods the language or formatting calls: no way in by themselves.
const PLAIN: [&str; 24] = [
    "AsRef",
    "Borrow",
    "Clone",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Deserialize",
    "Display",
    "Drop",
    "Eq",
    "Error",
    "From",
    "FromStr",
    "Hash",
    "Into",
    "Iterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
    "TryFrom",
    "TryInto",
    "ToString",
];

/// How the outside world comes in by a function. Only what decides is asked for.
pub(super) fn entry_of(
    index: &Index,
    id: FnId,
    handled: impl FnOnce() -> bool,
    called: impl FnOnce() -> bool,
) -> Option<Entry> {
    let entry = &index.functions[id.0 as usize];
    if entry.test {
        return None;
    }
    let free = entry.impl_id.is_none() && entry.trait_id.is_none() && entry.outer.is_none();
    if free && entry.name == "main" && index.modules[entry.module.0 as usize].parent.is_none() {
        return Some(Entry::Main);
    }
    if handled() {
        return Some(Entry::Handler);
    }
    if let Some(impl_id) = entry.impl_id
        && let Some(Def::External(path)) = &index.impls[impl_id.0 as usize].trait_def
    {
        return (!PLAIN.contains(&last_of(path))).then_some(Entry::OutsideTrait);
    }
    (entry.exported && !called()).then_some(Entry::Exported)
}

/// Whether an attribute hands a function to something that calls it.
pub(super) fn is_marked(index: &Index, id: FnId) -> bool {
    index.function(id).attributes.iter().any(|attribute| hands_over(&attribute.path))
}

fn hands_over(attribute: &str) -> bool {
    let last = attribute.rsplit("::").next().unwrap_or(attribute).trim();
    !(HARMLESS.contains(&last) || attribute.starts_with("clippy::"))
}

/// Functions that the value of a constant names: who calls them through it cannot be seen.
pub(super) fn of_constants(types: &Types<'_>, names: &Names) -> Vec<FnId> {
    let eval = Eval::new(types);
    let mut found = Vec::new();
    for at in 0..types.index.consts.len() {
        let scope = Scope::Const(ConstId(u32::try_from(at).unwrap_or(u32::MAX)));
        let Some(body) = types.body(scope) else { continue };
        for id in body.ids() {
            let Expr::Path(path) = body.expr(id) else { continue };
            if path.segments.last().is_some_and(|last| names.contains(&last.name)) {
                eval.refill();
                if let Target::Fns(named) = eval.path_value(scope, id) {
                    found.extend(named);
                }
            }
        }
    }
    found
}

/// Functions that a macro call in item place names, as `inventory::submit!` does.
pub(super) fn of_item_macros(index: &Index, names: &Names) -> Vec<FnId> {
    let mut found = Vec::new();
    for (module, tokens) in &index.item_macros {
        // Paths are printed with blanks between their tokens.
        let tokens = tokens.replace(" :: ", "::");
        let paths = tokens.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | ':')));
        for path in paths.map(|path| path.trim_matches(':')) {
            if path.rsplit("::").next().is_some_and(|last| names.contains(last))
                && let Some(Def::Fn(id)) = index.resolve(*module, &Path::of(path))
            {
                found.push(id);
            }
        }
    }
    found
}

/// Whether a function's path is given to a router, as in `post(handler)` or `.route("/", get(handler))`.
#[must_use]
pub fn registers(eval: &Eval<'_, '_>, scope: Scope, body: &Body, id: ExprId) -> bool {
    let Some(holder) = body.node(id).parent else { return false };
    let target = match body.expr(holder) {
        Expr::Call { .. } => eval.target(scope, holder),
        Expr::Method { name, .. } => match eval.target(scope, holder) {
            Target::Unknown => {
                return matches!(
                    name.as_str(),
                    "get"
                        | "post"
                        | "put"
                        | "patch"
                        | "delete"
                        | "to"
                        | "route"
                        | "endpoint"
                        | "branch"
                        | "fallback"
                        | "on"
                        | "and_then"
                );
            }
            found => found,
        },
        _ => return false,
    };
    matches!(target, Target::Outside { path, .. } if FRAMEWORKS.contains(&first_of(&path)))
}
