//! What the names of functions say that a request is for, where its URL does not.

use std::cell::RefCell;

use rustc_hash::FxHashMap as HashMap;

use crate::catalog::call::Effect;
use crate::scan::index::FnId;
use crate::scan::ir::{Expr, Lit, MacroCall, MacroShape, Path, Ty};
use crate::scan::sinks::Context;
use crate::scan::sinks::classify::is_plain_name;
use crate::scan::sinks::recipes::{Address, recipes, says, sends_a_transaction, told_by, words};
use crate::scan::sinks::verbs::writes;
use crate::scan::types::value::Scope;

/// Whether a text stands in a function, by both.
pub(super) type Written = RefCell<HashMap<(FnId, &'static str), bool>>;

impl Context<'_, '_> {
    /// The function, of those that ask for a request, by whose name a model is asked.
    pub(super) fn asks_a_model(&self, address: &Address, by: &[FnId]) -> Option<String> {
        let recipes = recipes();
        if address.is_at(&recipes.send.hosts) || address.is_at(&recipes.charge.hosts) {
            return None;
        }
        let asks = |id: &&FnId| {
            let said = words(&self.types.index.functions[id.0 as usize].name);
            if says(&said, &recipes.model.words) {
                return true;
            }
            let around = self.around(Some(**id));
            let subject = says(&around, &recipes.model.subjects) || says(&said, &recipes.model.subjects);
            says(&said, &recipes.model.verbs) && subject && !keeps_chats(&said)
                || is_plain_name(&said) && says(&self.nearest(**id), &recipes.model.names)
                || self.writes(**id, "anthropic-version")
                || self.composes_a_prompt(**id)
        };
        let found = by.iter().find(asks)?;
        Some(self.types.index.functions[found.0 as usize].name.clone())
    }

    /// Whether a function writes what models are asked with: a model and the messages for it.
    fn composes_a_prompt(&self, function: FnId) -> bool {
        let asks = |names: &mut dyn Iterator<Item = &str>| {
            let (mut model, mut messages) = (false, false);
            names.for_each(|name| {
                model |= name == "model";
                messages |= name == "messages";
            });
            model && messages
        };
        self.types.body(Scope::Fn(function)).is_some_and(|body| {
            body.ids().any(|id| match body.expr(id) {
                Expr::Struct { fields, .. } => asks(&mut fields.iter().map(|(name, _)| name.as_str())),
                Expr::Macro(MacroCall { shape: MacroShape::Map(pairs), .. }) => {
                    asks(&mut pairs.iter().map(|(name, _)| name.as_str()))
                }
                _ => false,
            })
        })
    }

    /// Whether the function's type speaks OpenID Connect: what such a client posts are credentials.
    pub(super) fn is_of_openid(&self, by: &[FnId]) -> bool {
        let said = by.last().map(|function| self.type_words(*function)).unwrap_or_default();
        said.iter().any(|word| matches!(word.as_str(), "oidc" | "openid")) || self.asks_for_a_grant(by.first())
    }

    /// Whether a function writes the form of an OAuth exchange: `("grant_type", "refresh_token")`.
    fn asks_for_a_grant(&self, function: Option<&FnId>) -> bool {
        function.is_some_and(|id| self.writes(*id, "grant_type"))
    }

    /// Whether a text with these words stands in a function: a field or a header that one kind of request has.
    fn writes(&self, function: FnId, words: &'static str) -> bool {
        let looked = self.written.borrow().get(&(function, words)).copied();
        looked.unwrap_or_else(|| {
            let body = self.types.body(Scope::Fn(function));
            let found = body.is_some_and(|body| {
                body.ids().any(|id| matches!(body.expr(id), Expr::Lit(Lit::Str(text)) if text.contains(words)))
            });
            self.written.borrow_mut().insert((function, words), found);
            found
        })
    }

    /// Whether the type or module right around a function is named after a model or its provider, and the function
    /// is about no more than a request: `send_responses_request` of `openai`.
    pub(super) fn is_of_a_model(&self, function: FnId) -> bool {
        let said = words(&self.types.index.functions[function.0 as usize].name);
        const REQUESTS: [&str; 11] =
            ["api", "call", "do", "execute", "invoke", "make", "perform", "post", "request", "run", "send"];
        let requests = said.first().is_some_and(|word| REQUESTS.contains(&word.as_str()));
        let other = is_about_more(&said);
        requests && !other && says(&self.nearest(function), &recipes().model.names) || self.completes(function)
    }

    /// Whether a function is given what a model is asked, or gives what it answers, by the names of its types.
    fn completes(&self, function: FnId) -> bool {
        let function = &self.types.index.functions[function.0 as usize].function;
        function.params.iter().map(|param| &param.ty).chain([&function.returns]).any(is_completion)
    }

    /// The names of functions, as they are asked.
    pub(super) fn names_of(&self, by: &[FnId]) -> Vec<&str> {
        by.iter().map(|id| self.types.index.functions[id.0 as usize].name.as_str()).collect()
    }

    /// The worst that the names of callers say.
    pub(super) fn told_by_callers(&self, function: FnId, levels: usize) -> Option<(Effect, String)> {
        let index = self.types.index;
        let callers =
            self.graph.callers(self.types, function).map(|call| call.caller).filter(|caller| *caller != function);
        let told = callers.filter_map(|caller| {
            let name = &index.functions[caller.0 as usize].name;
            let said = words(name);
            let plain = levels > 1 && is_plain_name(&said);
            let of_module = || {
                let module = &index.modules[index.functions[caller.0 as usize].module.0 as usize].path;
                let module = words(module.get(1..)?.last().filter(|_| is_plain_name(&said))?);
                module.first().filter(|first| writes(first))?;
                told_by(&module)
            };
            let told = sends_a_transaction(&said).then_some(Effect::Charge);
            told.or_else(|| told_by(&said))
                .or_else(of_module)
                .map(|effect| (effect, name.clone()))
                .or_else(|| plain.then(|| self.told_by_callers(caller, levels - 1)).flatten())
        });
        told.max_by(|one, two| one.0.cmp(&two.0).then_with(|| two.1.cmp(&one.1)))
    }

    /// The words of a function's type and of the module that holds it.
    fn nearest(&self, function: FnId) -> Vec<String> {
        let index = self.types.index;
        let entry = &index.functions[function.0 as usize];
        let path = &index.modules[entry.module.0 as usize].path;
        // The crate's own name says what the whole does.
        let module = path.iter().skip(1).next_back().map(|name| words(name)).unwrap_or_default();
        self.type_words(function).into_iter().chain(module).collect()
    }
}

/// Whether a name of a model's client is about more than what is asked: its files, its threads.
pub(super) fn is_about_more(said: &[String]) -> bool {
    const OTHER: [&str; 22] = [
        "assistant",
        "batch",
        "cancel",
        "collection",
        "create",
        "delete",
        "download",
        "feedback",
        "file",
        "finetune",
        "key",
        "list",
        "log",
        "login",
        "pull",
        "push",
        "register",
        "session",
        "store",
        "thread",
        "tuning",
        "upload",
    ];
    said.iter().any(|word| OTHER.contains(&word.as_str()))
}

/// `CompletionRequest`, `Result<ChatCompletionResponse, E>`, `impl Future<Output = CompletionResponse>`.
fn is_completion(ty: &Ty) -> bool {
    match ty {
        Ty::Ref(inner) => is_completion(inner),
        Ty::Path(path) => names_completion(path),
        Ty::Bounds(paths) => paths.iter().any(names_completion),
        Ty::Tuple(_) | Ty::Slice(_) | Ty::Fn(..) | Ty::Other => false,
    }
}

fn names_completion(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        let about = ["ChatCompletion", "Completion"].iter().find_map(|start| last.name.strip_prefix(start));
        about.is_some_and(|rest| matches!(rest, "Request" | "Response")) || last.args.iter().any(is_completion)
    })
}

/// Whether a function is named after what it does with what models are asked about: `update_chat_settings`,
/// `create_chat_context`; but `create_chat` asks.
fn keeps_chats(said: &[String]) -> bool {
    const CHANGES: [&str; 9] = ["add", "archive", "cancel", "clear", "delete", "remove", "rename", "save", "update"];
    const OF_CHATS: [&str; 7] = ["context", "history", "message", "room", "session", "setting", "thread"];
    let [first, second, rest @ ..] = said else { return false };
    let kept = second == "chat" && rest.iter().any(|word| OF_CHATS.contains(&word.as_str()));
    CHANGES.contains(&first.as_str()) || first == "create" && kept
}

/// Whether a function is named after an exchange of credentials: `fetch_access_token`, `ensure_token`.
pub(super) fn exchanges_credentials(name: &str) -> bool {
    const GETS: [&str; 12] = [
        "acquire", "ensure", "exchange", "fetch", "generate", "get", "mint", "obtain", "refresh", "renew", "request",
        "retrieve",
    ];
    // Tokens of devices, of models and of chains are no credentials.
    const OTHER: [&str; 9] = ["asset", "collection", "count", "device", "fcm", "nft", "push", "registration", "usage"];
    // `refresh_token_inner` is what `refresh_token` does.
    let name = ["_impl", "_inner", "_internal"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let whole = name.strip_prefix("try_").unwrap_or(name);
    if recipes().auth.verbs.iter().any(|verb| verb == whole || verb == name) {
        return true;
    }
    let said = words(name);
    if logs_in(&said) {
        return true;
    }
    if said.iter().any(|word| word == "code") && said.last().is_some_and(|word| word == "token") {
        return true;
    }
    let first = said.iter().find(|word| !matches!(word.as_str(), "do" | "maybe" | "try"));
    first.is_some_and(|word| GETS.contains(&word.as_str()))
        && said.last().is_some_and(|word| matches!(word.as_str(), "jwt" | "token"))
        && !said.iter().any(|word| OTHER.contains(&word.as_str()))
}

/// `password_login`, `login_with_code`; but not `record_login`.
fn logs_in(said: &[String]) -> bool {
    const OTHER: [&str; 14] = [
        "add", "alert", "check", "count", "create", "delete", "get", "list", "log", "notify", "record", "send",
        "track", "update",
    ];
    match said {
        [first, second, ..] if first == "login" => matches!(second.as_str(), "as" | "by" | "user" | "via" | "with"),
        [first, .., last] => last == "login" && !OTHER.contains(&first.as_str()),
        _ => false,
    }
}
