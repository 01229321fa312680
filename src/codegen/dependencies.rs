//! The crates that the client needs, as lines of `Cargo.toml`.

use crate::key::PartType;
use crate::manifest::{Client, ErrorCrate, Manifest};

/// The lines to add under `[dependencies]`, sorted; they follow what the manifest uses.
#[must_use]
pub fn dependencies(manifest: &Manifest) -> String {
    let part_types: Vec<PartType> =
        manifest.actions.values().flat_map(|action| &action.key).map(|part| part.part_type).collect();
    let domains = part_types.iter().any(|part| matches!(part, PartType::Domain | PartType::Email));
    let dates = part_types.contains(&PartType::Date);
    let errors = |error| manifest.generate.errors.contains(&error);
    let sqlx = manifest.generate.client == Client::Sqlx;
    let lines = [
        (errors(ErrorCrate::AsyncStripe), r#"async-stripe = "1.0.0-rc.10""#),
        (errors(ErrorCrate::AwsSdk), r#"aws-smithy-runtime-api = { version = "1", features = ["client"] }"#),
        (errors(ErrorCrate::AwsSdk), r#"aws-smithy-types = "1""#),
        (true, r#"base64 = "0.23""#),
        (dates, r#"chrono = { version = "0.4", default-features = false }"#),
        (errors(ErrorCrate::Hyper), r#"hyper = "1""#),
        (errors(ErrorCrate::Hyper), r#"hyper-util = { version = "0.1", features = ["client-legacy"] }"#),
        (domains, r#"idna = "1""#),
        (
            errors(ErrorCrate::Lettre),
            r#"lettre = { version = "0.11", default-features = false, features = ["builder", "smtp-transport"] }"#,
        ),
        (manifest.generate.metrics, r#"metrics = "0.24""#),
        (
            errors(ErrorCrate::Reqwest),
            r#"reqwest = { version = "0.12", default-features = false, features = ["json", "rustls-tls"] }"#,
        ),
        (true, r#"serde = { version = "1", features = ["derive"] }"#),
        (true, r#"serde_json = "1""#),
        (true, r#"sha2 = "0.11""#),
        (
            sqlx,
            r#"sqlx = { version = "0.9", default-features = false, features = ["json", "postgres", "runtime-tokio", "uuid"] }"#,
        ),
        (true, r#"tokio = { version = "1", features = ["time"] }"#),
        // 0.7.12 is the first whose `query_typed` answers as it should.
        (!sqlx, r#"tokio-postgres = { version = "0.7.12", features = ["with-serde_json-1", "with-uuid-1"] }"#),
        (errors(ErrorCrate::Tonic), r#"tonic = { version = "0.14", default-features = false }"#),
        (manifest.generate.tracing, r#"tracing = "0.1""#),
        (true, r#"uuid = { version = "1", features = ["v4"] }"#),
    ];
    lines.into_iter().filter(|(wanted, _)| *wanted).map(|(_, line)| format!("{line}\n")).collect()
}
