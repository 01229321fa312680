//! `[generate]` and `[scan]`.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::manifest::calls;
use crate::manifest::name::{check_path, is_rust_keyword};
use crate::manifest::near::{meant, nearest};
use crate::manifest::section::{At, Section, brief};
use crate::manifest::{Allow, Client, ErrorCrate, Generate, GuardDeclaration, Scan};

/// Arguments that are told apart; a guard with more is none that people read.
pub(super) const MOST_ARGUMENTS: u32 = 15;

/// What holds where `[generate]` is left out.
pub(super) fn default_generate() -> Generate {
    Generate {
        path: PathBuf::from("src/onlyonce.rs"),
        client: Client::Sqlx,
        prepared: true,
        errors: Vec::new(),
        metrics: false,
        tracing: false,
    }
}

pub(super) fn read_generate(section: Section<'_>) -> Option<Generate> {
    let default = default_generate();
    let path = section.text("path").and_then(|path| check_module(&section, path));
    let client = section.choice("client", &[("sqlx", Client::Sqlx), ("tokio-postgres", Client::TokioPostgres)]);
    let prepared = section.boolean("prepared");
    let metrics = section.boolean("metrics");
    let tracing = section.boolean("tracing");
    let errors = section.texts("errors", false).map(|names| read_errors(&section, names.value));
    section.finish();
    Some(Generate {
        path: path.unwrap_or(default.path),
        client: client.map_or(default.client, |client| client.value),
        prepared: prepared.map_or(default.prepared, |prepared| prepared.value),
        errors: errors.unwrap_or_default(),
        metrics: metrics.is_some_and(|metrics| metrics.value),
        tracing: tracing.is_some_and(|tracing| tracing.value),
    })
}

fn read_errors(section: &Section<'_>, names: Vec<At<&str>>) -> Vec<ErrorCrate> {
    let known = ErrorCrate::ALL;
    let mut errors = Vec::new();
    for name in names {
        match known.iter().find(|(crate_name, _)| *crate_name == name.value) {
            Some((_, error)) if !errors.contains(error) => errors.push(*error),
            Some(_) => {
                let message = format!("`errors` in {} names `{}` twice", section.title(), name.value);
                section.fault(name.span, message, "the second time", "take it out");
            }
            None => {
                let message = format!("errors of `{}` cannot be turned into a SendError", brief(name.value));
                section.fault(
                    name.span,
                    message,
                    "no known crate",
                    meant(name.value, known.iter().map(|(name, _)| *name)),
                );
            }
        }
    }
    errors.sort();
    errors
}

/// The generated file is a module: its name must be one.
fn check_module(section: &Section<'_>, written: At<&str>) -> Option<PathBuf> {
    let path = check_path(section, "path", written)?;
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let name = stem.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'_')
        && stem.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let label = if path.extension() != Some(OsStr::new("rs")) {
        "it is one Rust file"
    } else if !name || is_rust_keyword(stem) {
        "the file's name is the module's name"
    } else if matches!(stem, "lib" | "main") {
        "it is a module of yours, not the crate's root"
    } else {
        return Some(path);
    };
    let message = format!("`path` in {} is no file for a Rust module", section.title());
    section.fault(written.span, message, label, "write path = \"src/onlyonce.rs\"");
    None
}

pub(super) fn read_scan(section: Section<'_>, rules: &[&str]) -> Option<Scan> {
    let exclude = section.texts("exclude", false).map(|patterns| read_patterns(&section, patterns.value));
    let internal_hosts = section.texts("internal_hosts", false).map(|hosts| read_hosts(&section, hosts.value));
    let guards: Vec<_> = section.list_of_tables("guard").into_iter().map(read_guard).collect();
    let allows: Vec<_> = section.list_of_tables("allow").into_iter().map(|allow| read_allow(allow, rules)).collect();
    let calls = calls::read_all(section.list_of_tables("call"));
    section.finish();
    Some(Scan {
        exclude: exclude.unwrap_or_default(),
        internal_hosts: internal_hosts.unwrap_or_default(),
        guards: guards.into_iter().collect::<Option<_>>()?,
        allows: allows.into_iter().collect::<Option<_>>()?,
        calls: calls.into_iter().collect::<Option<_>>()?,
    })
}

fn read_patterns(section: &Section<'_>, patterns: Vec<At<&str>>) -> Vec<String> {
    for pattern in &patterns {
        // A longer one is no pattern that people read, and nesting in it would cost the stack.
        let short = pattern.value.len() <= 1000;
        let read = if short {
            globset::Glob::new(pattern.value).map_err(|error| error.kind().to_string())
        } else {
            Err("over 1000 letters".to_owned())
        };
        if let Err(wrong) = read {
            let message = format!("`exclude` in {} holds a pattern that cannot be read", section.title());
            section.fault(pattern.span, message, wrong, "write it like \"tools/**\"");
        }
    }
    patterns.into_iter().map(|pattern| pattern.value.to_owned()).collect()
}

fn read_hosts(section: &Section<'_>, hosts: Vec<At<&str>>) -> Vec<String> {
    for host in &hosts {
        let good =
            host.value.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | '*' | ':'));
        if !good || host.value.contains("::") {
            let bare = host.value.split_once("//").map_or(host.value, |(_, rest)| rest);
            let bare = bare.split(['/', '?']).next().unwrap_or_default();
            let message = format!("`{}` in {} is no host name", brief(host.value), section.title());
            section.fault(
                host.span,
                message,
                "a host alone, without scheme and path",
                format!("write \"{}\"", brief(bare)),
            );
        }
    }
    hosts.into_iter().map(|host| host.value.to_lowercase()).collect()
}

fn read_guard(section: Section<'_>) -> Option<GuardDeclaration> {
    section.need("path", "which function is the guard?", "write path = \"acme::outbox::dispatch_once\"");
    section.need("key", "which argument is the key?", "write key = 0 for the first; a method's self is not counted");
    section.need("body", "which argument holds the send?", "write body = 1 for the second");
    let path = section.text("path").filter(|path| check_rust_path(&section, *path));
    let key = section.number("key", 0..=MOST_ARGUMENTS);
    let body = section.number("body", 0..=MOST_ARGUMENTS);
    if let (Some(key), Some(body)) = (key, body)
        && key.value == body.value
    {
        let message = "the key and the send are one argument of this guard".to_owned();
        section.fault(body.span, message, "the same as `key`", "write the number of the argument that holds the send");
    }
    let span = section.span;
    section.finish();
    Some(GuardDeclaration {
        path: path?.value.to_owned(),
        key: usize::try_from(key?.value).ok()?,
        body: usize::try_from(body?.value).ok()?,
        span,
    })
}

/// `acme::outbox::dispatch_once`, `acme::Outbox::dispatch_once`.
fn check_rust_path(section: &Section<'_>, path: At<&str>) -> bool {
    let good = path.value.split("::").all(|name| {
        name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    });
    if !good {
        let message = format!("`path` in {} is no path of a function", section.title());
        section.fault(
            path.span,
            message,
            "names joined by `::`, without arguments",
            "write it like path = \"acme::outbox::dispatch_once\"",
        );
    }
    good
}

fn read_allow(section: Section<'_>, rules: &[&str]) -> Option<Allow> {
    section.need("rule", "which rule is silenced?", "write rule = \"unguarded-send\"");
    section.need("path", "where is it silenced?", "write path = \"acme::ops::page_on_call\"");
    section.need("reason", "auditors read why", "write reason = \"..\": why a double does no harm here");
    let rule = section.text("rule");
    if let Some(rule) = rule.filter(|rule| !rules.contains(&rule.value)) {
        let message = format!("the code scan has no rule `{}`", brief(rule.value));
        let help = match nearest(rule.value, rules.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`onlyonce explain` lists the rules; those about SQL are allowed by a comment in the migration"
                .to_owned(),
        };
        section.fault(rule.span, message, "no known rule", help);
    }
    let path = section.text("path");
    let reason = section.text("reason");
    let until = section.date("until").map(|until| until.value);
    let span = section.span;
    section.finish();
    Some(Allow {
        rule: rule?.value.to_owned(),
        path: path?.value.to_owned(),
        reason: reason?.value.to_owned(),
        until,
        span,
    })
}
