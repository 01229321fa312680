//! Clients that the catalog does not list: by the name of their type, and by what becomes of the call.

use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::sinks::Context;
use crate::scan::sinks::fate::{End, Fate};
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::{recipes, words};
use crate::scan::sinks::verbs::{reads, writes, writes_behind};
use crate::scan::site::Resolution;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::members::DEREFS;
use crate::scan::types::ty::Type;

/// Crates whose types keep to this machine or to the team's own stores, and frameworks that serve.
const HOME: [&str; 110] = [
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
    "cassandra_cpp",
    "cdrs_tokio",
    "chrono",
    "clap",
    "clickhouse",
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
    "edgedb_tokio",
    "egui",
    "elasticsearch",
    "fastembed",
    "flume",
    "fred",
    "futures",
    "futures_channel",
    "futures_util",
    "gel_tokio",
    "headless_chrome",
    "heed",
    "hf_hub",
    "hmac",
    "iced",
    "image",
    "indicatif",
    "influx_db_client",
    "influxdb",
    "influxdb2",
    "inquire",
    "jni",
    "kanal",
    "lancedb",
    "leptos",
    "libp2p",
    "libsql",
    "log",
    "lopdf",
    "moka",
    "mongodb",
    "mysql",
    "mysql_async",
    "neo4rs",
    "notify",
    "openssl",
    "opentelemetry",
    "ort",
    "parking_lot",
    "pgvector",
    "polars",
    "postgres",
    "postgrest",
    "ratatui",
    "rayon",
    "redis",
    "ring",
    "rocket",
    "rocksdb",
    "rusqlite",
    "scylla",
    "sea_orm",
    "serde",
    "serde_json",
    "sled",
    "songbird",
    "sqlx",
    "std",
    "surrealdb",
    "syn",
    "sysinfo",
    "tantivy",
    "tauri",
    "tempfile",
    "tiberius",
    "tokio",
    "tokio_postgres",
    "tower",
    "tracing",
    "wasmtime",
];

/// Parts of the names of crates around such stores: `tokio_rusqlite`, `deadpool_postgres`, `bb8_tiberius`.
const AROUND_STORES: [&str; 8] = ["bb8", "deadpool", "mysql", "postgres", "r2d2", "redis", "sqlite", "sqlx"];

/// Whether the types of a crate keep to this machine or to the team's own stores.
pub(super) fn is_at_home(library: &str) -> bool {
    HOME.contains(&library) || AROUND_STORES.iter().any(|part| library.contains(part))
}

/// How many parts of parts of a client are looked through.
pub(super) const PARTS: usize = 3;

/// Last words of the names of types that stand for something elsewhere.
const ELSEWHERE: [&str; 18] = [
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
    "rpc",
    "sdk",
    "service",
    "session",
    "transport",
    "webhook",
];

impl<'a> Context<'_, 'a> {
    pub(super) fn unknown_client<'b>(&self, leaving: Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        if part_by_path(&leaving.path).is_some() {
            return self.part_of_client(&leaving, body);
        }
        // `begin_create_certificate(..)` of Azure.
        let said: Vec<String> = words(&leaving.name).into_iter().skip_while(|word| word == "begin").collect();
        let first = said.first()?.clone();
        let given = writes(&first) && self.is_awaited_as_is(&leaving) && self.is_given_a_client(&leaving, body);
        if leaving.receiver.is_none() {
            let calls = given || self.names_a_verb(&leaving).is_some();
            return calls.then_some(Leaving { resolution: Resolution::Inferred, ..leaving });
        }
        // tonic and progenitor make clients out of sight: `payments_client::PaymentsClient`, a bare `Client`.
        let rpc = names_rpc_client(&leaving.path);
        let generated = rpc
            || leaving.path.contains("_client::")
            || leaving.path == "Client" && self.depends_on(leaving.function, "progenitor");
        // Every method of a tonic client but its settings is a call that is awaited somewhere.
        let called = !(generated && is_setting(&leaving.name))
            && (rpc || writes(&first) || writes_behind(&said) || generated && reads(&first));
        let known = generated || stands_elsewhere(&leaving.path);
        let queued = hands_over(&leaving.path, &first);
        let awaited = || match rpc {
            true => self.fate(leaving.scope, leaving.expr) > Fate { end: End::Plain, as_is: true },
            false => self.is_awaited_as_is(&leaving),
        };
        let elsewhere = known && called && (queued || awaited());
        (elsewhere || given).then_some(Leaving { resolution: Resolution::Inferred, ..leaving })
    }

    /// `Charge::create(&client, ..)`, `resources.add(&client, ..)`: what is called belongs to the client's crate.
    fn is_given_a_client(&self, leaving: &Leaving<'a, '_>, body: &Body) -> bool {
        let home = first_of(&leaving.path);
        let args = leaving.args.iter().filter(|arg| matches!(plain(body, **arg), Expr::Path(_) | Expr::Field(..)));
        let mut types = args.map(|arg| self.outside(self.eval.ty(leaving.scope, *arg)));
        types.any(|ty| ty.path().is_some_and(|path| first_of(path) == home && stands_elsewhere(path)))
    }

    /// What a newtype of the workspace derefs to.
    pub(super) fn outside(&self, ty: Type) -> Type {
        let mut at = &ty;
        for _ in 0..DEREFS {
            match self.types.members.deref(at) {
                Some(next) if matches!(at, Type::Local(..)) => at = next,
                _ => break,
            }
        }
        at.clone()
    }

    /// A part of a client that the catalog does not list: `client.users().create(..)`.
    pub(super) fn part_of_client<'b>(&self, leaving: &Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        let first = words(&leaving.name).into_iter().next()?;
        if !writes(&first) && !adds(&words(&leaving.name)) || !self.is_awaited_as_is(leaving) {
            return None;
        }
        let part = |path: &str, name: &str| {
            let name = format!("{name}::{}", leaving.name);
            Some(Leaving { path: path.to_owned(), name, resolution: Resolution::Inferred, ..leaving.clone() })
        };
        if let Some((client, name)) = part_by_path(&leaving.path) {
            return stands_elsewhere(client).then(|| part(client, name)).flatten();
        }
        let mut at = leaving.receiver?;
        for _ in 0..PARTS {
            let Expr::Method { receiver, name, args, .. } = body.expr(at) else { return None };
            let verb = words(name).into_iter().next()?;
            if writes(&verb) || reads(&verb) {
                return None;
            }
            let ty = self.outside(self.eval.ty(leaving.scope, *receiver));
            if let Some(path) = ty.path() {
                let fits =
                    !self.types.known.catalog.is_type(&self.types.known.canonical(path)) && stands_elsewhere(path);
                if path.ends_with("::?") {
                    at = *receiver;
                    continue;
                }
                // `Telegraph::new(name).access_token(token).create()`: a builder that is made for it, and no part.
                let built = !args.is_empty() && matches!(body.expr(*receiver), Expr::Call { .. });
                return (fits && !built).then(|| part(path, name)).flatten();
            }
            at = *receiver;
        }
        None
    }
}

/// The client and the method that gave a part of it: `lnd::Client::lightning`; none where that is named as a call.
fn part_by_path(path: &str) -> Option<(&str, &str)> {
    let mut client = path;
    while let Some((before, last)) = client.rsplit_once("::").filter(|(_, last)| last.starts_with(char::is_lowercase)) {
        let verb = words(last).into_iter().next()?;
        if (writes(&verb) || reads(&verb)) && verb != "set" {
            return None;
        }
        client = before;
    }
    let last = path.rsplit("::").next()?;
    (client != path && last_of(client).starts_with(char::is_uppercase)).then_some((client, last))
}

/// Whether a type outside stands, by its name, for something on another machine.
fn stands_elsewhere(path: &str) -> bool {
    if !path.contains("::") {
        // A glob import hides where it comes from: `SigningClient` of `climb::prelude::*`.
        let said = words(path);
        return said.len() > 1 && said.last().is_some_and(|last| last == "client");
    }
    !serves(path)
        && !is_at_home(first_of(path))
        && (names_what_is_elsewhere(last_of(path)) || is_named_as_its_crate(path) || sends_messages(path))
}

/// Whether a type's name ends in a word for something elsewhere.
pub(super) fn names_what_is_elsewhere(name: &str) -> bool {
    words(name).pop().is_some_and(|last| ELSEWHERE.contains(&last.as_str()))
}

/// `new_address`, `new_order`: named as what is made.
pub(super) fn adds(said: &[String]) -> bool {
    said.len() > 1 && said.first().is_some_and(|first| first == "new")
}

/// `libsignal_service::MessageSender`; but no `UnboundedSender`.
fn sends_messages(path: &str) -> bool {
    let said = words(last_of(path));
    let send = &recipes().send;
    matches!(said.as_slice(), [what, .., last] if last == "sender" && (send.words.contains(what) || send.subjects.contains(what)))
}

/// `telegraph_rs::Telegraph`: what a crate is named after is mostly the client that it is there for.
fn is_named_as_its_crate(path: &str) -> bool {
    let plain = |name: &str| {
        let kept =
            words(name).into_iter().filter(|word| !matches!(word.as_str(), "api" | "client" | "rs" | "rust" | "sdk"));
        kept.collect::<String>()
    };
    let named = plain(last_of(path));
    named.len() > 3 && last_of(path).starts_with(char::is_uppercase) && named == plain(first_of(path))
}

/// An expression without its references.
fn plain(body: &Body, id: ExprId) -> &Expr {
    match body.expr(id) {
        Expr::Ref(inner) => plain(body, *inner),
        other => other,
    }
}

/// Whether a type that is named after what it hands to a queue or to people does so, which need not be awaited.
fn hands_over(path: &str, verb: &str) -> bool {
    let last = words(last_of(path)).pop();
    last.is_some_and(|last| matches!(last.as_str(), "mailer" | "producer" | "publisher"))
        && matches!(verb, "produce" | "publish" | "send")
}

/// Whether a path is that of a client made by tonic: `payments_client::PaymentsClient`.
pub(super) fn names_rpc_client(path: &str) -> bool {
    let mut names = path.rsplit("::");
    names.next().zip(names.next()).is_some_and(|(client, module)| is_rpc_client(module, client))
}

/// Whether a module and a type in it are named as tonic names the client of a service.
pub(super) fn is_rpc_client(module: &str, client: &str) -> bool {
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
