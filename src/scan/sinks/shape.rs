//! Calls that the catalog does not list: methods of unnamed types of crates it knows, of clients it does not
//! know, and of receivers without a type, where shape and context say enough.

use crate::catalog::call::{Effect, Trigger};
use crate::scan::ir::{Body, Expr, ExprId, Pat, Stmt};
use crate::scan::sinks::effect::{Told, reads, writes};
use crate::scan::sinks::matching::{Leaving, shape_ends};
use crate::scan::sinks::purpose::exchanges_credentials;
use crate::scan::sinks::recipes::{is_about_credentials, told_by, told_by_name, words};
use crate::scan::sinks::uses::{End, base, chain, end_of};
use crate::scan::sinks::{Context, Coverage};
use crate::scan::site::Resolution;
use crate::scan::types::call::Target;
use crate::scan::types::known::{first_of, last_of, verb_of};
use crate::scan::types::value::{Methods, Request, shown};

/// Crates whose types keep to this machine or to the team's own stores, and frameworks that serve.
const HOME: [&str; 94] = [
    "actix",
    "actix_rt",
    "actix_web",
    "actix_web_actors",
    "actix_ws",
    "aes_gcm",
    "alloc",
    "anyhow",
    "arrow",
    "async_channel",
    "async_std",
    "axum",
    "base64",
    "bb8",
    "bb8_redis",
    "bson",
    "bytes",
    "candle_core",
    "candle_nn",
    "chrono",
    "clap",
    "console",
    "core",
    "criterion",
    "cron",
    "crossbeam",
    "crossbeam_channel",
    "crossterm",
    "dashmap",
    "datafusion",
    "deadpool",
    "deadpool_postgres",
    "deadpool_redis",
    "diesel",
    "diesel_async",
    "dioxus",
    "duckdb",
    "egui",
    "fastembed",
    "flume",
    "fred",
    "futures",
    "futures_channel",
    "futures_util",
    "heed",
    "hf_hub",
    "hmac",
    "iced",
    "image",
    "indicatif",
    "inquire",
    "jni",
    "kanal",
    "lancedb",
    "leptos",
    "libp2p",
    "log",
    "lopdf",
    "mongodb",
    "moka",
    "mysql",
    "mysql_async",
    "notify",
    "openssl",
    "opentelemetry",
    "ort",
    "parking_lot",
    "pgvector",
    "polars",
    "postgres",
    "ratatui",
    "rayon",
    "redis",
    "ring",
    "rocket",
    "rocksdb",
    "rusqlite",
    "sea_orm",
    "serde",
    "serde_json",
    "sled",
    "sqlx",
    "std",
    "surrealdb",
    "syn",
    "sysinfo",
    "tantivy",
    "tauri",
    "tempfile",
    "tokio",
    "tokio_postgres",
    "tower",
    "tracing",
    "wasmtime",
];

/// Those of them whose functions start a statement for the team's own store, and wrap nothing else.
const STORES: [&str; 6] = ["diesel", "diesel_async", "redis", "rusqlite", "sea_orm", "sqlx"];

/// How many parts of parts of a client are looked through.
const PARTS: usize = 3;

/// Last words of the names of types that stand for something elsewhere.
const ELSEWHERE: [&str; 17] = [
    "api",
    "bot",
    "client",
    "connection",
    "exchange",
    "gateway",
    "http",
    "mailer",
    "messenger",
    "producer",
    "provider",
    "publisher",
    "sdk",
    "service",
    "session",
    "transport",
    "webhook",
];

impl<'a> Context<'_, 'a> {
    /// A method of a type of which the crate alone is known, or of a client that the catalog does not list.
    pub(super) fn by_crate<'b>(&self, leaving: Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        let library = first_of(&leaving.path).to_owned();
        let known = &self.types.known;
        match known.library(&library) {
            Some(krate) => {
                let unnamed = leaving.path.ends_with("::?") || !known.catalog.is_type(&known.canonical(&leaving.path));
                if !unnamed || leaving.receiver.is_none() || matches!(&*krate.package, "std" | "http" | "tower") {
                    return None;
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
                let awaited = is_awaited(body, leaving.expr);
                let first = words(&leaving.name).into_iter().next().unwrap_or_default();
                let patterned = || {
                    let mut found = known.patterned(&leaving.name).filter(same);
                    (awaited && writes(&first)).then(|| found.find(fits)).flatten()
                };
                let Some(found) = exact.or_else(patterned) else {
                    return self.part_of_client(&leaving, body);
                };
                let by_chain = leaving.path.ends_with("::?") || shape_ends(&leaving.name);
                if !by_chain && !awaited && found.call.trigger != Trigger::Await {
                    return None;
                }
                Some(Leaving {
                    path: found.call.path.clone(),
                    known: Some((found.call, found.krate)),
                    resolution: Resolution::Inferred,
                    ..leaving
                })
            }
            None => self.unknown_client(leaving, body),
        }
    }

    fn unknown_client<'b>(&self, leaving: Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        if leaving.receiver.is_none() {
            return self
                .names_a_verb(&leaving)
                .is_some()
                .then_some(Leaving { resolution: Resolution::Inferred, ..leaving });
        }
        let first = words(&leaving.name).into_iter().next()?;
        // tonic and progenitor make clients out of sight: `payments_client::PaymentsClient`, a bare `Client`.
        let rpc = is_rpc_client(&leaving.path);
        let generated = rpc
            || leaving.path.contains("_client::")
            || leaving.path == "Client" && self.depends_on(leaving.function, "progenitor");
        // Every method of a tonic client but its settings is a call that is awaited somewhere.
        let called = rpc && !is_setting(&leaving.name) || (writes(&first) || generated && reads(&first));
        let elsewhere =
            (generated || stands_elsewhere(&leaving.path)) && called && will_be_awaited(body, leaving.expr, rpc);
        elsewhere.then_some(Leaving { resolution: Resolution::Inferred, ..leaving })
    }

    /// A part of a client that the catalog does not list: `client.users().create(..)`.
    fn part_of_client<'b>(&self, leaving: &Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        let first = words(&leaving.name).into_iter().next()?;
        if !writes(&first) || !will_be_awaited(body, leaving.expr, false) {
            return None;
        }
        let mut at = leaving.receiver?;
        for _ in 0..PARTS {
            let Expr::Method { receiver, name, .. } = body.expr(at) else { return None };
            let verb = words(name).into_iter().next()?;
            if writes(&verb) || reads(&verb) {
                return None;
            }
            let ty = self.eval.ty(leaving.scope, *receiver);
            if let Some(path) = ty.path() {
                let fits =
                    !self.types.known.catalog.is_type(&self.types.known.canonical(path)) && stands_elsewhere(path);
                if path.ends_with("::?") {
                    at = *receiver;
                    continue;
                }
                return fits.then(|| Leaving {
                    path: path.to_owned(),
                    name: format!("{name}::{}", leaving.name),
                    resolution: Resolution::Inferred,
                    ..leaving.clone()
                });
            }
            at = *receiver;
        }
        None
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
            return self.builder_of_package(leaving);
        }
        if leaving.name == "send" && leaving.args.is_empty() {
            if self.begins_a_request(&leaving, body) {
                return self.builder_of_package(leaving);
            }
            coverage.unresolved_calls += 1;
            return None;
        }
        if self.starts_at_a_store(&leaving, body, receiver) {
            return None;
        }
        if let Some(library) = self.sdk_of_what_is_given(&leaving, body) {
            return self.by_crate(Leaving { path: format!("{library}::?"), ..leaving }, body);
        }
        if let Some(part) = self.part_of_client(&leaving, body) {
            return Some(part);
        }
        if is_counted(&leaving.name) {
            coverage.unresolved_calls += 1;
            return None;
        }
        self.by_name_of_package(leaving, body, coverage)
    }

    /// The crate whose context or client a call is given: `message.delete(&ctx)` is a call of that crate, unless
    /// the workspace has methods of that name.
    fn sdk_of_what_is_given(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Option<String> {
        let first = *leaving.args.first()?;
        if !is_awaited(body, leaving.expr) || self.types.members.is_named(&leaving.name) {
            return None;
        }
        let ty = self.eval.ty(leaving.scope, first);
        let path = ty.path()?;
        let library = first_of(path);
        let carries = words(last_of(path)).pop().is_some_and(|last| matches!(last.as_str(), "context" | "http"));
        (carries && self.types.known.chains(path)).then(|| library.to_owned())
    }

    /// Whether a call ends a chain that a verb begins.
    fn begins_a_request(&self, leaving: &Leaving<'a, '_>, body: &Body) -> bool {
        let Some(receiver) = leaving.receiver else { return false };
        shape_ends(&leaving.name) && chain(body, receiver).into_iter().any(|(_, name, args)| begins(name, args))
    }

    /// Whether the chain starts with a function of a store's crate: `sqlx::query(..).bind(..).execute(..)`.
    fn starts_at_a_store(&self, leaving: &Leaving<'a, '_>, body: &Body, receiver: ExprId) -> bool {
        let start = base(body, receiver);
        let target = matches!(body.expr(start), Expr::Call { .. }).then(|| self.eval.target(leaving.scope, start));
        matches!(target, Some(Target::Outside { path, .. }) if STORES.contains(&first_of(&path)))
    }

    /// The HTTP builder of the package that holds the function; none when it depends on no HTTP client.
    fn builder_of_package<'b>(&self, leaving: Leaving<'a, 'b>) -> Option<Leaving<'a, 'b>> {
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
    fn depends_on(&self, function: crate::scan::index::FnId, library: &str) -> bool {
        let index = self.types.index;
        let entry = &index.functions[function.0 as usize];
        let Some(package) = index.packages.get(index.modules[entry.module.0 as usize].package) else { return true };
        package.dependencies.iter().flat_map(|(key, name)| [key, name]).any(|name| {
            let name = name.replace('-', "_");
            name == library || self.types.known.led_to(&name).contains(&library)
        })
    }

    /// A name of two words or more that one crate has, on which the package depends, and no function here.
    fn by_name_of_package<'b>(
        &self,
        leaving: Leaving<'a, 'b>,
        body: &'b Body,
        coverage: &mut Coverage,
    ) -> Option<Leaving<'a, 'b>> {
        if !leaving.name.contains('_') || self.types.members.is_named(&leaving.name) {
            return None;
        }
        let found = self.types.known.catalog.named(&leaving.name).find(|found| {
            found.call.arity.is_none_or(|arity| arity == leaving.args.len())
                && found.krate.library_names().any(|library| self.depends_on(leaving.function, &library))
        })?;
        let used = matches!(end_of(body, leaving.expr), End::Used(at, _) if matches!(body.expr(at), Expr::Await(_)));
        if !used {
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
    fn names_a_verb(&self, leaving: &Leaving<'a, '_>) -> Option<Request> {
        if !words(&leaving.name).iter().any(|word| matches!(word.as_str(), "http" | "fetch" | "request")) {
            return None;
        }
        let [method, url, ..] = leaving.args else { return None };
        let written = self.eval.value(leaving.scope, *method);
        let verb = written.texts.first().and_then(|text| verb_of(&shown(text)));
        let methods = written.methods.or_else(|| verb.map(Methods::one))?;
        Some(Request { methods, urls: self.eval.texts(leaving.scope, *url), ..Request::default() })
    }

    /// What a call does that the catalog does not list.
    pub(super) fn unlisted(&self, leaving: &Leaving<'a, '_>, body: &Body, coverage: &mut Coverage) -> Option<Told> {
        let Some(receiver) = leaving.receiver else {
            let request = self.names_a_verb(leaving)?;
            return self.told_request(leaving, &request, coverage);
        };
        let value = self.eval.value(leaving.scope, receiver);
        if value.request.is_some() || self.types.known.is_builder(&leaving.path) {
            return self.request_effect(leaving, Some(receiver), coverage);
        }
        if shape_ends(&leaving.name) && chain(body, receiver).iter().any(|(_, name, args)| begins(name, args)) {
            return self.request_effect(leaving, Some(receiver), coverage);
        }
        let said = words(&leaving.name);
        if said.first().is_some_and(|word| reads(word)) {
            return Some(Told::of(Effect::Read, &format!("`{}` reads", leaving.name)));
        }
        let mut around = words(last_of(&leaving.path));
        if exchanges_credentials(&leaving.name) || is_about_credentials(&said, &around) {
            return Some(Told::of(Effect::Auth, &format!("`{}` exchanges credentials", leaving.name)));
        }
        around.extend(words(first_of(&leaving.path)));
        let effect = told_by_name(&said)
            .or_else(|| told_by(&around))
            .unwrap_or(if said.first().is_some_and(|word| word == "send") { Effect::Send } else { Effect::Mutate });
        Some(Told::of(effect, &format!("`{}` of a client outside", leaving.name)))
    }
}

/// Whether a call begins a request by a verb.
pub(super) fn begins(name: &str, args: &[ExprId]) -> bool {
    !args.is_empty() && name.chars().all(char::is_lowercase) && (verb_of(name).is_some() || name == "request")
}

/// Names of which a call on something that is not known is counted.
pub(super) fn is_counted(name: &str) -> bool {
    matches!(name, "send" | "execute" | "call" | "run" | "invoke" | "request")
}

/// Whether a type outside stands, by its name, for something on another machine.
fn stands_elsewhere(path: &str) -> bool {
    let last = words(last_of(path)).pop();
    path.contains("::")
        && !serves(path)
        && !HOME.contains(&first_of(path))
        && last.is_some_and(|last| ELSEWHERE.contains(&last.as_str()))
}

/// Whether a path is that of a client made by tonic: `payments_client::PaymentsClient`.
fn is_rpc_client(path: &str) -> bool {
    let mut names = path.rsplit("::");
    let (Some(client), Some(module)) = (names.next(), names.next()) else { return false };
    module.ends_with("_client") && client.ends_with("Client") && words(client) == words(module)
}

/// Whether a type outside answers others: `tonic::server::Grpc`.
pub(super) fn serves(path: &str) -> bool {
    path.split("::").any(|part| part == "server")
}

/// Methods that every client of tonic has and that call nothing.
fn is_setting(name: &str) -> bool {
    const SETTINGS: [&str; 9] = [
        "accept_compressed",
        "clone",
        "connect",
        "into_inner",
        "max_decoding_message_size",
        "max_encoding_message_size",
        "new",
        "send_compressed",
        "with_interceptor",
    ];
    SETTINGS.contains(&name)
}

/// Awaited where it is called, or later: bound and awaited, given to a timeout, a join or a macro. What a closure
/// or function answers is awaited by others, which only `surely` a future is.
fn will_be_awaited(body: &Body, id: ExprId, surely: bool) -> bool {
    let Some(parent) = body.node(id).parent else { return surely };
    match body.expr(parent) {
        Expr::Await(_) => true,
        Expr::Macro(_) | Expr::Closure { .. } | Expr::Return(_) => surely,
        Expr::Call { callee, .. } => *callee != id && (surely || drives(body, *callee)),
        Expr::Method { receiver, name, .. } if *receiver == id => {
            keeps_a_future(name) && will_be_awaited(body, parent, surely)
        }
        Expr::Block { stmts, .. } => stmts.iter().any(|stmt| match stmt {
            Stmt::Let { pat: Pat::Bind { name, .. }, value: Some(value), .. } if *value == id => {
                is_driven(body, name, body.node(id).span.end)
            }
            Stmt::Expr { expr, value } => *expr == id && *value && surely,
            Stmt::Let { .. } | Stmt::Item(_) => false,
        }),
        _ => false,
    }
}

/// Whether a name is awaited, or given to what awaits it, after a place.
fn is_driven(body: &Body, name: &str, after: usize) -> bool {
    body.ids().any(|id| {
        let node = body.node(id);
        let named = node.span.start >= after && matches!(&node.expr, Expr::Path(path) if path.ident() == Some(name));
        named
            && node.parent.is_some_and(|parent| match body.expr(parent) {
                Expr::Await(_) => true,
                Expr::Call { callee, .. } => *callee != id && drives(body, *callee),
                _ => false,
            })
    })
}

/// Whether a function runs the futures that it is given.
fn drives(body: &Body, callee: ExprId) -> bool {
    const DRIVE: [&str; 12] = [
        "block_on",
        "join",
        "join_all",
        "pin",
        "select",
        "spawn",
        "spawn_local",
        "timeout",
        "timeout_at",
        "try_join",
        "try_join_all",
        "within",
    ];
    let Expr::Path(path) = body.expr(callee) else { return false };
    path.segments.last().is_some_and(|last| DRIVE.contains(&last.name.as_str()))
}

/// Methods of futures that answer with a future.
fn keeps_a_future(name: &str) -> bool {
    const KEEP: [&str; 12] = [
        "and_then",
        "boxed",
        "compat",
        "fuse",
        "instrument",
        "into_future",
        "map",
        "map_err",
        "map_ok",
        "or_else",
        "shared",
        "then",
    ];
    KEEP.contains(&name)
}

/// Awaited right where it is called.
pub(super) fn is_awaited(body: &Body, id: ExprId) -> bool {
    matches!(body.node(id).parent.map(|parent| body.expr(parent)), Some(Expr::Await(_)))
}
