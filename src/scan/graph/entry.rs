//! Where the outside world comes in: `main`, exported functions, handlers, tools, traits of other crates.

use std::collections::{HashMap, HashSet};

use crate::scan::index::{Def, FnId, Index};
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::types::call::Target;
use crate::scan::types::eval::Eval;
use crate::scan::types::known::first_of;
use crate::scan::types::value::Scope;

/// How the outside world comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `main` of a binary.
    Main,
    /// Another crate can name it, and nothing here calls it.
    Exported,
    /// Registered with a router or dispatcher, or marked as a handler, command or tool by an attribute.
    Handler,
    /// A method of a trait that another crate calls.
    OutsideTrait,
}

/// Attributes, by their last name, that hand a function to a framework.
const ATTRIBUTES: [&str; 30] = [
    "catch",
    "command",
    "connect",
    "delete",
    "event",
    "export_name",
    "function",
    "get",
    "group",
    "handler",
    "head",
    "hook",
    "main",
    "method",
    "no_mangle",
    "options",
    "patch",
    "post",
    "prompt",
    "put",
    "pyfunction",
    "pymethods",
    "resource",
    "route",
    "rpc",
    "scheduled",
    "task",
    "tool",
    "wasm_bindgen",
    "websocket",
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

/// The entry points.
#[must_use]
pub fn entries(index: &Index, registered: &HashSet<FnId>, called: impl Fn(FnId) -> bool) -> HashMap<FnId, Entry> {
    let ids = super::function_ids(index);
    ids.filter_map(|id| Some((id, entry_of(index, id, registered, called(id))?))).collect()
}

fn entry_of(index: &Index, id: FnId, registered: &HashSet<FnId>, called: bool) -> Option<Entry> {
    let entry = &index.functions[id.0 as usize];
    if entry.test {
        return None;
    }
    let free = entry.impl_id.is_none() && entry.trait_id.is_none() && entry.outer.is_none();
    if free && entry.name == "main" && index.modules[entry.module.0 as usize].parent.is_none() {
        return Some(Entry::Main);
    }
    if registered.contains(&id) || entry.attributes.iter().any(|attribute| hands_over(&attribute.path)) {
        return Some(Entry::Handler);
    }
    if let Some(impl_id) = entry.impl_id
        && let Some(Def::External(path)) = &index.impls[impl_id.0 as usize].trait_def
    {
        let last = path.last().map_or("", String::as_str);
        return (!PLAIN.contains(&last)).then_some(Entry::OutsideTrait);
    }
    (entry.exported && !called).then_some(Entry::Exported)
}

fn hands_over(attribute: &str) -> bool {
    ATTRIBUTES.contains(&attribute.rsplit("::").next().unwrap_or(attribute).trim())
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
