//! One file out of the parts: the head, every `use` of the parts, then the parts.

use std::collections::BTreeSet;

use crate::key::PartType;
use crate::manifest::{Client, ErrorCrate, Manifest};

const HEAD: &str = include_str!("client/head.rs");

/// The schema as the parts write it.
const SCHEMA: &str = "ledger_schema";

/// The whole file; `made` is what the manifest alone determines.
pub(super) fn assemble(manifest: &Manifest, made: &str) -> String {
    let parts = parts(manifest);
    let (uses, bodies): (Vec<_>, Vec<_>) = parts.iter().map(|part| split(part)).unzip();
    let mut text = format!("{HEAD}\n{}\n{made}", imports(&uses));
    for body in bodies {
        text.push_str(&format!("\n{body}"));
    }
    text.replace(SCHEMA, &manifest.schema.name)
}

/// The fixed parts in their order in the file, without those that the manifest does not use.
fn parts(manifest: &Manifest) -> Vec<&'static str> {
    let uses = |wanted: &[PartType]| {
        let mut parts = manifest.actions.values().flat_map(|action| &action.key);
        parts.any(|part| wanted.contains(&part.part_type))
    };
    let sqlx = manifest.generate.client == Client::Sqlx;
    // The client for tokio-postgres has one way alone: it never leaves a statement in a session.
    let prepared = manifest.generate.prepared;
    let errors = |error| manifest.generate.errors.contains(&error);
    let optional = [
        (true, include_str!("client/key.rs")),
        (uses(&[PartType::Date]), include_str!("client/date.rs")),
        (uses(&[PartType::Domain, PartType::Email]), include_str!("client/domain.rs")),
        (uses(&[PartType::Email]), include_str!("client/email.rs")),
        (true, include_str!("client/outcome.rs")),
        (errors(ErrorCrate::AsyncStripe), include_str!("client/async_stripe.rs")),
        (errors(ErrorCrate::AwsSdk), include_str!("client/aws_sdk.rs")),
        (errors(ErrorCrate::Hyper), include_str!("client/hyper.rs")),
        (errors(ErrorCrate::Lettre), include_str!("client/lettre.rs")),
        (errors(ErrorCrate::Reqwest), include_str!("client/reqwest.rs")),
        (errors(ErrorCrate::Tonic), include_str!("client/tonic.rs")),
        (true, include_str!("client/ledger.rs")),
        (true, include_str!("client/permit.rs")),
        (true, include_str!("client/event.rs")),
        (true, include_str!("client/probe.rs")),
        (true, include_str!("client/answers.rs")),
        (true, include_str!("client/watch.rs")),
        (manifest.generate.metrics, include_str!("client/metrics.rs")),
        (!manifest.generate.metrics, include_str!("client/uncounted.rs")),
        (manifest.generate.tracing, include_str!("client/tracing.rs")),
        (!manifest.generate.tracing, include_str!("client/untraced.rs")),
        (sqlx, include_str!("client/sqlx.rs")),
        (sqlx && prepared, include_str!("client/sqlx_prepared.rs")),
        (sqlx && !prepared, include_str!("client/sqlx_simple.rs")),
        (!sqlx, include_str!("client/tokio_postgres.rs")),
        (true, include_str!("client/text.rs")),
    ];
    optional.into_iter().filter(|(wanted, _)| *wanted).map(|(_, part)| part).collect()
}

/// A part's `use` lines, and what follows them.
fn split(part: &str) -> (Vec<&str>, &str) {
    let mut rest = part;
    let mut uses = Vec::new();
    while let Some((line, after)) = rest.split_once('\n') {
        if line.starts_with("use ") {
            uses.push(line);
        } else if !line.is_empty() {
            break;
        }
        rest = after;
    }
    (uses, rest)
}

/// All of them once, sorted: the standard library's first.
fn imports(uses: &[Vec<&str>]) -> String {
    let all: BTreeSet<&str> = uses.iter().flatten().copied().collect();
    let (standard, crates): (Vec<&str>, Vec<&str>) = all.iter().partition(|line| line.starts_with("use std::"));
    format!("{}\n\n{}\n", standard.join("\n"), crates.join("\n"))
}
