//! Calls that the catalog does not list: methods of unnamed types of crates it knows, of clients it does not
//! know, and of receivers without a type, where shape and context say enough.

use crate::catalog::call::{Effect, Trigger};
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::sinks::classify::{is_plain_name, measures};
use crate::scan::sinks::clients::is_at_home;
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::fate::End;
use crate::scan::sinks::gestures::answers;
use crate::scan::sinks::given::is_an_id;
use crate::scan::sinks::matching::{Leaving, shape_ends};
use crate::scan::sinks::purpose::exchanges_credentials;
use crate::scan::sinks::recipes::{is_about_credentials, recipes, says, told_by, told_by_name, words};
use crate::scan::sinks::uses::{bound_before, chain};
use crate::scan::sinks::verbs::{reads, writes};
use crate::scan::sinks::{Context, Coverage};
use crate::scan::site::Resolution;
use crate::scan::types::binding::name_of;
use crate::scan::types::call::Target;
use crate::scan::types::known::{first_of, last_of, verb_of};
use crate::scan::types::value::{Methods, Request, Scope, shown};

/// Crates whose functions start a statement for the team's own store, and wrap nothing else.
const STORES: [&str; 7] = ["diesel", "diesel_async", "libsql", "redis", "rusqlite", "sea_orm", "sqlx"];

/// How many calls of a chain are looked through for what it begins on.
const LINKS: usize = 16;

/// Words in the names of crates by which a team measures its own product.
const MEASURE: [&str; 6] = ["amplitude", "analytic", "mixpanel", "plausible", "posthog", "telemetry"];

impl<'a> Context<'_, 'a> {
    /// A method of a type of which the crate alone is known, or of a client that the catalog does not list.
    pub(super) fn by_crate<'b>(&self, leaving: Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        let library = first_of(&leaving.path).to_owned();
        let known = &self.types.known;
        match known.library(&library) {
            Some(krate) => {
                let unnamed = leaving.path.ends_with("::?") || !known.catalog.is_type(&known.canonical(&leaving.path));
                if matches!(&*krate.package, "std" | "http" | "tower") {
                    return None;
                }
                if leaving.receiver.is_none() {
                    return if unnamed { self.function_of_old(leaving, krate) } else { None };
                }
                if !unnamed {
                    if self.sends_more(&leaving, krate) && !builds_for_another(body, leaving.expr) {
                        return Some(leaving);
                    }
                    return self.of_a_sibling(leaving, krate);
                }
                // `ctx.data().http.post(..).send()`: what a framework hands out of the team's own is no part of it.
                if self.begins_a_request(&leaving, body)
                    && let Some(found) = self.builder_of_package(leaving.clone())
                {
                    return Some(found);
                }
                let near = known.led_to(&library);
                let same = |found: &crate::catalog::Known<'_>| {
                    found.krate.package == krate.package
                        || found.krate.library_names().any(|library| near.contains(&library.as_str()))
                };
                let fits = |found: &crate::catalog::Known<'_>| {
                    found.call.arity.is_none_or(|arity| arity == leaving.args.len())
                };
                let exact = known.catalog.named(&leaving.name).filter(same).find(fits);
                let builds = sets_itself(body, leaving.expr)
                    || builds_for_another(body, leaving.expr)
                    || builds_what_is_given(body, &leaving);
                if builds {
                    return None;
                }
                let awaited = self.is_awaited(&leaving);
                let first = words(&leaving.name).into_iter().next().unwrap_or_default();
                let patterned = || {
                    let mut found = known.patterned(&leaving.name).filter(same);
                    (awaited && writes(&first)).then(|| found.find(fits)).flatten()
                };
                let Some(found) = exact.or_else(patterned) else {
                    return self.part_of_client(&leaving, body);
                };
                let by_chain = leaving.path.ends_with("::?") || shape_ends(&leaving.name);
                if !awaited && !by_chain && found.call.trigger != Trigger::Await {
                    return None;
                }
                // Of a type that is not known, `build` is rather that of a builder than one that calls.
                let says_so = writes(&first) || reads(&first) || shape_ends(&leaving.name);
                let calls = found.call.trigger == Trigger::Await || self.is_awaited_as_is(&leaving);
                if by_chain && !says_so && !calls {
                    return None;
                }
                Some(Leaving {
                    path: found.call.path.clone(),
                    known: Some((found.call, found.krate)),
                    resolution: Resolution::Inferred,
                    ..leaving
                })
            }
            None => self
                .unknown_client(leaving.clone(), body)
                .or_else(|| self.by_gesture(&leaving, body))
                .or_else(|| self.waited_for(&leaving, body)),
        }
    }

    /// A receiver without a type: only shapes that say enough.
    pub(super) fn by_shape<'b>(
        &self,
        leaving: Leaving<'a, 'b>,
        body: &'b Body,
        coverage: &mut Coverage,
    ) -> Option<Leaving<'a, 'b>> {
        let receiver = leaving.receiver?;
        let value = self.eval.value(leaving.scope, receiver);
        if value.request.is_some() && leaving.name.starts_with("send") {
            let unlisted = self.builder_outside(&leaving, body, receiver);
            return self.builder_of_package(leaving).or(unlisted);
        }
        if leaving.name == "send" && leaving.args.is_empty() {
            if self.begins_a_request(&leaving, body) {
                return self.builder_of_package(leaving);
            }
            let named = self.by_names_before(&leaving, body).or_else(|| self.of_a_contract(&leaving));
            coverage.unresolved_calls += usize::from(named.is_none());
            return named;
        }
        if self.starts_at_a_store(&leaving, body, receiver) {
            return None;
        }
        if let Some(library) = self.sdk_of_what_is_given(&leaving, body) {
            return self.by_crate(Leaving { path: format!("{library}::?"), ..leaving }, body);
        }
        let found = self
            .part_of_client(&leaving, body)
            .or_else(|| self.by_gesture(&leaving, body))
            .or_else(|| self.waited_for(&leaving, body));
        if found.is_some() {
            return found;
        }
        if is_counted(&leaving.name) {
            let named = self.by_names_before(&leaving, body);
            coverage.unresolved_calls += usize::from(named.is_none());
            return named;
        }
        self.by_name_of_package(leaving, coverage)
    }

    /// The crate whose context, client or message a call is given: `message.delete(&ctx)` is a call of that crate, as
    /// is `ctx.send(CreateReply::default())`, unless the workspace has methods of that name.
    fn sdk_of_what_is_given(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Option<String> {
        let first = *leaving.args.first()?;
        let end = self.fate(leaving.scope, leaving.expr).end;
        // Old versions block: what they answer is looked at, or dropped.
        let blocks = matches!(end, End::Dropped | End::Plain);
        if !blocks && end != End::Awaited || self.types.members.is_named(&leaving.name) {
            return None;
        }
        let mut ty = self.outside(self.eval.ty(leaving.scope, first));
        if ty.path().is_none_or(|path| path.ends_with("::?")) {
            ty = self.eval.ty(leaving.scope, body.base(first));
        }
        let path = ty.path()?;
        let library = first_of(path);
        let said = words(last_of(path));
        let carries = said.last().is_some_and(|last| matches!(last.as_str(), "context" | "http"));
        let message = || said.len() > 1 && said.first().is_some_and(|first| first == "create");
        let is_call = |found: &crate::catalog::Known<'_>| {
            found.krate.library_names().any(|name| name == library)
                && found.call.effect.is_write()
                && found.call.arity.is_none_or(|arity| arity == leaving.args.len())
        };
        let exact = || self.types.known.catalog.named(&leaving.name).any(|found| is_call(&found));
        (self.types.known.chains(path) && (carries || message()) && (!blocks || exact())).then(|| library.to_owned())
    }

    /// `contract.write_message(text).send()`: the methods of a contract are made by a macro out of sight.
    fn of_a_contract<'b>(&self, leaving: &Leaving<'a, 'b>) -> Option<Leaving<'a, 'b>> {
        if !self.is_awaited(leaving) || self.types.members.is_named("send") {
            return None;
        }
        let of_chains = self.types.known.catalog.named("send").find(|found| {
            matches!(&*found.krate.package, "alloy" | "ethers")
                && found.call.arity.is_none_or(|arity| arity == 0)
                && found.krate.library_names().any(|library| self.depends_on(leaving.function, &library))
        })?;
        Some(Leaving {
            path: of_chains.call.path.clone(),
            known: Some((of_chains.call, of_chains.krate)),
            resolution: Resolution::Inferred,
            ..leaving.clone()
        })
    }

    /// Whether a call ends a chain that a verb begins.
    pub(super) fn begins_a_request(&self, leaving: &Leaving<'a, '_>, body: &Body) -> bool {
        let Some(receiver) = leaving.receiver else { return false };
        shape_ends(&leaving.name) && chain(body, receiver).into_iter().any(|(_, name, args)| begins(name, args))
    }

    /// Whether the chain starts with a function of a store's crate: `sqlx::query(..).bind(..).execute(..)`.
    fn starts_at_a_store(&self, leaving: &Leaving<'a, '_>, body: &Body, receiver: ExprId) -> bool {
        let start = body.base(receiver);
        let target = matches!(body.expr(start), Expr::Call { .. }).then(|| self.eval.target(leaving.scope, start));
        matches!(target, Some(Target::Outside { path, .. }) if STORES.contains(&first_of(&path)))
    }

    /// A request that a function of an HTTP client begins which the catalog does not list: `bitreq::post(url)`.
    fn builder_outside<'b>(&self, leaving: &Leaving<'a, 'b>, body: &Body, receiver: ExprId) -> Option<Leaving<'a, 'b>> {
        let start = body.base(receiver);
        let target = matches!(body.expr(start), Expr::Call { .. }).then(|| self.eval.target(leaving.scope, start));
        let path = match target {
            Some(Target::Outside { path, .. }) => path.to_string(),
            _ => self.client_of_chain(leaving, body, receiver)?,
        };
        let library = first_of(&path);
        let unlisted = self.types.known.is_unlisted(library) && !is_at_home(library);
        unlisted.then(|| Leaving {
            path: format!("{library}::Request"),
            resolution: Resolution::Inferred,
            ..leaving.clone()
        })
    }

    /// The type outside on which a chain begins, through the names that hold it: `let request = client.post(url);
    /// request.send()`.
    fn client_of_chain(&self, leaving: &Leaving<'a, '_>, body: &Body, receiver: ExprId) -> Option<String> {
        let mut at = receiver;
        for _ in 0..LINKS {
            let ty = self.outside(self.eval.ty(leaving.scope, at));
            if let Some(path) = ty.path().filter(|path| path.contains("::") && !path.ends_with("::?")) {
                return Some(path.to_owned());
            }
            at = match body.expr(at) {
                Expr::Method { receiver, .. } => *receiver,
                Expr::Ref(inner) | Expr::Try(inner) => *inner,
                Expr::Path(path) => bound_before(body, path.ident()?, at)?,
                _ => return None,
            };
        }
        None
    }

    /// The HTTP builder of the package that holds the function; none when it depends on no HTTP client.
    pub(super) fn builder_of_package<'b>(&self, leaving: Leaving<'a, 'b>) -> Option<Leaving<'a, 'b>> {
        const BUILDERS: [(&str, &str); 7] = [
            ("reqwest", "reqwest::RequestBuilder"),
            ("reqwest_middleware", "reqwest_middleware::RequestBuilder"),
            ("ureq", "ureq::RequestBuilder"),
            ("surf", "surf::RequestBuilder"),
            ("awc", "awc::ClientRequest"),
            ("attohttpc", "attohttpc::RequestBuilder"),
            ("gloo_net", "gloo_net::http::RequestBuilder"),
        ];
        let (_, path) = BUILDERS.into_iter().find(|(library, _)| self.depends_on(leaving.function, library))?;
        let found = self.types.known.call(path, &leaving.name);
        Some(Leaving {
            path: path.to_owned(),
            known: found.map(|found| (found.call, found.krate)),
            resolution: Resolution::Inferred,
            ..leaving
        })
    }

    /// Whether the package of a function depends on a library; any does when no package is known.
    pub(super) fn depends_on(&self, function: crate::scan::index::FnId, library: &str) -> bool {
        let index = self.types.index;
        let entry = &index.functions[function.0 as usize];
        let Some(package) = index.packages.get(index.modules[entry.module.0 as usize].package) else { return true };
        package.dependencies.iter().flat_map(|(key, name)| [key, name]).any(|name| {
            let name = name.replace('-', "_");
            name == library || self.types.known.led_to(&name).contains(&library)
        })
    }

    /// A name of two words or more that one crate has, on which the package depends, and no function here.
    fn by_name_of_package<'b>(&self, leaving: Leaving<'a, 'b>, coverage: &mut Coverage) -> Option<Leaving<'a, 'b>> {
        // What a macro is given has no type in its arm: `$msg.channel_id.say(&$ctx.http, $text).await`.
        let in_macro = matches!(leaving.scope, Scope::Macro(..)) && self.is_awaited(&leaving);
        if !in_macro && !leaving.name.contains('_') || self.types.members.is_named(&leaving.name) {
            return None;
        }
        let found = self.types.known.catalog.named(&leaving.name).find(|found| {
            found.call.arity.is_none_or(|arity| arity == leaving.args.len())
                && (leaving.name.contains('_') || found.call.effect.is_write() && found.call.arity.is_some())
                && found.krate.library_names().any(|library| self.depends_on(leaving.function, &library))
        })?;
        if !self.is_awaited(&leaving) {
            coverage.unresolved_calls += 1;
            return None;
        }
        Some(Leaving {
            path: found.call.path.clone(),
            known: Some((found.call, found.krate)),
            resolution: Resolution::Inferred,
            ..leaving
        })
    }

    /// A host function that takes the verb as a text: `host::http_request("POST", url, ..)`.
    pub(super) fn names_a_verb(&self, leaving: &Leaving<'a, '_>) -> Option<Request> {
        if !may_name_a_verb(&words(&leaving.name)) {
            return None;
        }
        let [method, url, ..] = leaving.args else { return None };
        let written = self.eval.value(leaving.scope, *method);
        let verb = written.texts.first().and_then(|text| verb_of(&shown(text)));
        let methods = written.methods.clone().or_else(|| verb.map(Methods::one))?;
        Some(Request { methods, urls: self.eval.texts(leaving.scope, *url), ..Request::default() })
    }

    /// What a call does that the catalog does not list.
    pub(super) fn unlisted(&self, leaving: &Leaving<'a, '_>, body: &Body, coverage: &mut Coverage) -> Option<Told> {
        if let Some(request) = self.names_a_verb(leaving) {
            return self.told_request(leaving, &request, coverage);
        }
        let value = leaving.receiver.map(|receiver| self.eval.value(leaving.scope, receiver)).unwrap_or_default();
        if value.request.is_some() || self.types.known.is_builder(&leaving.path) {
            return self.request_effect(leaving, leaving.receiver, coverage);
        }
        if let Some(receiver) = leaving.receiver
            && shape_ends(&leaving.name)
            && chain(body, receiver).iter().any(|(_, name, args)| begins(name, args))
        {
            return self.request_effect(leaving, Some(receiver), coverage);
        }
        let said = words(&leaving.name);
        let given = leaving.args.iter().find(|arg| self.eval.value(leaving.scope, **arg).request.is_some());
        if let Some(given) = given {
            return self.request_effect(leaving, Some(*given), coverage);
        }
        // Words are singular: `status` is `statu`.
        let asks =
            |word: &String| reads(word) || matches!(word.as_str(), "listen" | "state" | "statu" | "tail" | "version");
        // `do_get` of Arrow Flight.
        if said.iter().find(|word| !matches!(word.as_str(), "do" | "try")).is_some_and(asks) {
            return Some(Told::of(Effect::Read, &format!("`{}` reads", leaving.name)));
        }
        // `client.order(order_id)`: one thing is asked for by its id.
        let thing = leaving.name.rsplit("::").next().unwrap_or_default();
        if let ([one], [id]) = (words(thing).as_slice(), leaving.args)
            && recipes().charge.words.contains(one)
            && is_an_id(&self.eval.ty(leaving.scope, *id))
        {
            return Some(Told::of(Effect::Read, &format!("`{thing}` of an id asks")));
        }
        // `dispatch_search_request`.
        if let [first, second, ..] = said.as_slice()
            && matches!(first.as_str(), "dispatch" | "execute" | "perform" | "run" | "send" | "submit")
            && matches!(second.as_str(), "lookup" | "query" | "search")
        {
            return Some(Told::of(Effect::Read, &format!("`{}` asks", leaving.name)));
        }
        if makes_a_transaction(&said, first_of(&leaving.path)) {
            return Some(Told::of(Effect::Read, &format!("`{}` makes what is not sent yet", leaving.name)));
        }
        if is_plain_name(&said)
            && let Some(told) = self.by_what_is_given(leaving)
        {
            return Some(told);
        }
        let own = &self.types.index.function(leaving.function).name;
        if is_plain_name(&said)
            && is_plain_name(&words(own))
            && let Some((effect, caller)) = self.told_by_callers(leaving.function, 2)
        {
            return Some(Told::of(effect, &format!("words of its caller `{caller}`")));
        }
        let mut around = words(last_of(&leaving.path));
        let home = words(first_of(&leaving.path));
        if measures(&said) || home.iter().any(|word| MEASURE.contains(&word.as_str())) {
            return Some(Told::of(Effect::Telemetry, &format!("`{}` reports measurements", leaving.name)));
        }
        if exchanges_credentials(&leaving.name) || is_about_credentials(&said, &around) {
            return Some(Told::of(Effect::Auth, &format!("`{}` exchanges credentials", leaving.name)));
        }
        around.extend(words(first_of(&leaving.path)));
        let kept = said.iter().any(|word| matches!(word.as_str(), "cancel" | "delete" | "file" | "upload"));
        if says(&around, &recipes().model.names) && !kept {
            return Some(Told::of(Effect::Model, &format!("`{}` of a model's client", leaving.name)));
        }
        if is_plain_name(&said) {
            // `lettermint::api::email::BatchSendRequest::execute`.
            around.extend(leaving.path.split("::").skip(1).flat_map(words));
        }
        let hands_in = said.first().is_some_and(|word| word == "upload");
        let effect =
            told_by_name(&said).or_else(|| hands_in.then_some(Effect::Mutate)).or_else(|| told_by(&around)).unwrap_or(
                if said.first().is_some_and(|word| hands_on(word)) || answers(&leaving.name) || leaving.name == "chat" {
                    Effect::Send
                } else {
                    Effect::Mutate
                },
            );
        Some(Told::of(effect, &format!("`{}` of a client outside", leaving.name)))
    }
}

/// `request = request.delete_message_seconds(60)`: a builder is given back changed.
fn sets_itself(body: &Body, call: ExprId) -> bool {
    let Expr::Method { receiver, .. } = body.expr(call) else { return false };
    let of = name_of(body, *receiver);
    let left = body.node(call).parent.and_then(|parent| match body.expr(parent) {
        Expr::Assign(_, left, right) if *right == call => name_of(body, *left),
        _ => None,
    });
    of.is_some() && of == left
}

/// `CreateReply::default().content(text).reply(true)`: what another call is given is built.
fn builds_what_is_given(body: &Body, leaving: &Leaving<'_, '_>) -> bool {
    // `ctx.send(reply.ephemeral(true))`.
    let holder = body.node(leaving.expr).parent.map(|holder| body.expr(holder));
    let given = matches!(holder, Some(Expr::Method { name, args, .. })
        if args.contains(&leaving.expr) && matches!(name.as_str(), "edit" | "reply" | "send" | "send_message"));
    if given {
        return true;
    }
    let Expr::Call { callee, .. } = body.expr(body.base(leaving.expr)) else { return false };
    let Expr::Path(path) = body.expr(*callee) else { return false };
    let of = path.segments.iter().rev().nth(1).map(|segment| words(&segment.name)).unwrap_or_default();
    leaving.name != "execute"
        && of.len() > 1
        && of.first().is_some_and(|first| matches!(first.as_str(), "create" | "edit"))
}

/// `message.components(|rows| rows.create_action_row(..))`: a builder that a closure is given for what is sent around
/// it. What runs futures or goes over a list gives its closure something else.
fn builds_for_another(body: &Body, call: ExprId) -> bool {
    const RUNS: [&str; 14] = [
        "and_then",
        "filter_map",
        "flat_map",
        "for_each",
        "for_each_concurrent",
        "map",
        "map_ok",
        "or_else",
        "retry",
        "spawn",
        "then",
        "try_for_each",
        "try_for_each_concurrent",
        "unwrap_or_else",
    ];
    let Some(name) = name_of(body, body.base(call)) else { return false };
    let mut above = body.ancestors(call).take_while(|id| !matches!(body.expr(*id), Expr::Await(_)));
    above.any(|id| {
        let Expr::Closure { params, is_async: false, .. } = body.expr(id) else { return false };
        let holder = body.node(id).parent.map(|holder| body.expr(holder));
        let builds = matches!(holder, Some(Expr::Method { name, .. }) if !RUNS.contains(&name.as_str()));
        builds && params.iter().any(|param| param.pat.binds(name))
    })
}

/// `arweave.create_transaction(..)`: a chain's transaction is made and signed here, and sent by another call.
fn makes_a_transaction(said: &[String], library: &str) -> bool {
    const CHAINS: [&str; 17] = [
        "algonaut", "aptos", "arweave", "bitcoin", "cosmo", "ethereum", "ethers", "hedera", "near", "solana",
        "soroban", "stellar", "subxt", "sui", "tezo", "web3", "xrpl",
    ];
    let made = said.first().is_some_and(|first| matches!(first.as_str(), "create" | "sign"));
    let what = said.iter().any(|word| matches!(word.as_str(), "transaction" | "tx"));
    made && what && words(library).iter().any(|word| CHAINS.contains(&word.as_str()))
}

/// Words that something is handed to people or a queue by.
fn hands_on(word: &str) -> bool {
    matches!(word, "enqueue" | "produce" | "reply" | "say" | "send" | "whisper")
}

/// Whether a call begins a request by a verb.
pub(super) fn begins(name: &str, args: &[ExprId]) -> bool {
    // `kv.put(key, value)` puts into a store.
    let puts = name == "put" && args.len() > 1;
    !args.is_empty() && !puts && name.chars().all(char::is_lowercase) && (verb_of(name).is_some() || name == "request")
}

/// Whether what has a name of these words may be given an HTTP method and an address.
pub(super) fn may_name_a_verb(said: &[String]) -> bool {
    said.iter().any(|word| matches!(word.as_str(), "http" | "fetch" | "request"))
}

/// Names of which a call on something that is not known is counted.
pub(super) fn is_counted(name: &str) -> bool {
    matches!(name, "send" | "execute" | "call" | "run" | "invoke" | "request")
}
