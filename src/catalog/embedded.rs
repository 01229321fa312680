//! The files of `lints/crates/`, sorted, as they stood when the program was built.

use std::sync::LazyLock;

use super::Catalog;

macro_rules! files {
    ($($name:literal,)+) => {
        &[$(($name, include_str!(concat!("../../lints/crates/", $name, ".toml")))),+]
    };
}

/// Name without `.toml`, and text.
const CRATES: &[(&str, &str)] = files![
    "a2",
    "alloy",
    "amqprs",
    "async-anthropic",
    "async-imap",
    "async-nats",
    "async-openai",
    "async-stripe",
    "async-tungstenite",
    "atrium-api",
    "attohttpc",
    "awc",
    "aws-sdk",
    "aws-sdk-bedrockruntime",
    "aws-sdk-dynamodb",
    "aws-sdk-eventbridge",
    "aws-sdk-lambda",
    "aws-sdk-s3",
    "aws-sdk-sagemakerruntime",
    "aws-sdk-ses",
    "aws-sdk-sesv2",
    "aws-sdk-sfn",
    "aws-sdk-sns",
    "aws-sdk-sqs",
    "azure_data_cosmos",
    "azure_messaging_eventhubs",
    "azure_messaging_servicebus",
    "azure_storage_queue",
    "bdk",
    "bitcoincore-rpc",
    "bollard",
    "bsky-sdk",
    "chromiumoxide",
    "curl",
    "cynic",
    "egg-mode",
    "electrum-client",
    "elefren",
    "esplora-client",
    "ethers",
    "fantoccini",
    "fastwebsockets",
    "fcm",
    "fcm_v1",
    "frankenstein",
    "gcloud-pubsub",
    "genai",
    "git2",
    "gitlab",
    "gloo-net",
    "goji",
    "google-apis",
    "google-cloud",
    "google-cloud-pubsub",
    "google-cloud-tasks-v2",
    "grammers-client",
    "graphql_client",
    "http",
    "hyper",
    "hyper-util",
    "imap",
    "irc",
    "isahc",
    "jsonrpsee",
    "kafka",
    "kube",
    "langchain-rust",
    "lapin",
    "lettre",
    "line-bot-sdk-rust",
    "llm",
    "mail-send",
    "mailgun-rs",
    "mastodon-async",
    "matrix-sdk",
    "megalodon",
    "minreq",
    "misskey",
    "mongodb",
    "nats",
    "nostr-sdk",
    "notion",
    "ntfy",
    "oauth2",
    "object_store",
    "octocrab",
    "ollama-rs",
    "openai-api-rs",
    "opendal",
    "openidconnect",
    "opensearch",
    "paho-mqtt",
    "paypal-rs",
    "poise",
    "postmark",
    "pulsar",
    "qdrant-client",
    "rdkafka",
    "redis",
    "reqwest",
    "reqwest-eventsource",
    "reqwest-middleware",
    "reqwest-websocket",
    "resend-rs",
    "rig",
    "rmcp",
    "rumqttc",
    "russh",
    "rust-s3",
    "rustify",
    "sendgrid",
    "sendgrid-api",
    "sentry",
    "sentry-anyhow",
    "serenity",
    "slack",
    "slack-chat-api",
    "slack-hook",
    "slack-morphism",
    "slack_api",
    "solana-client",
    "spin-sdk",
    "std",
    "surf",
    "svix",
    "swiftide",
    "tbot",
    "telegram-bot",
    "teloxide",
    "thirtyfour",
    "tokio-tungstenite",
    "tonic",
    "tower",
    "tungstenite",
    "twilight-http",
    "twilio",
    "twitch-irc",
    "ureq",
    "web-push",
    "web3",
    "webhook",
    "websocket",
    "whatsapp-rust",
    "worker",
];

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    // A test parses every file, so this cannot fail in a program that was tested.
    Catalog::load(CRATES).unwrap_or_default()
});

impl Catalog {
    /// What ships with the program.
    #[must_use]
    pub fn embedded() -> &'static Catalog {
        &CATALOG
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_list_is_sorted_and_is_the_folder() {
        let listed: Vec<&str> = CRATES.iter().map(|(name, _)| *name).collect();
        assert!(listed.is_sorted(), "sort the list of files");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lints/crates");
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let listed: BTreeSet<String> = listed.into_iter().map(str::to_owned).collect();
        assert_eq!(listed, on_disk);
    }

    #[test]
    fn every_file_parses_and_is_sorted_without_repeats() {
        let catalog = Catalog::load(CRATES).unwrap();
        assert_eq!(catalog.crates.len(), CRATES.len());
        for krate in &catalog.crates {
            let calls: Vec<_> = krate.call.iter().map(|call| (&call.path, &call.method)).collect();
            assert!(calls.is_sorted_by(|a, b| a < b), "{}: sort [[call]] by path and method", krate.package);
            let returns: Vec<_> = krate.returns.iter().map(|entry| (&entry.path, &entry.method)).collect();
            assert!(returns.is_sorted_by(|a, b| a < b), "{}: sort [[returns]] by path and method", krate.package);
            assert!(krate.local_only.is_sorted_by(|a, b| a < b), "{}: sort local_only", krate.package);
        }
    }

    #[test]
    fn every_entry_names_its_source_and_its_own_library() {
        for krate in &Catalog::load(CRATES).unwrap().crates {
            let libraries: Vec<String> = krate.library_names().collect();
            assert!(!krate.version.is_empty(), "{}: no version", krate.package);
            let paths = krate.call.iter().map(|call| &call.path).chain(krate.returns.iter().map(|entry| &entry.path));
            for path in paths {
                let first = path.split("::").next().unwrap();
                let known = libraries.iter().any(|library| super::super::lookup::glob(library, first).is_some())
                    || libraries.iter().any(|library| super::super::lookup::glob(first, library).is_some());
                assert!(known, "{}: {path} is not of {libraries:?}", krate.package);
            }
            for call in &krate.call {
                assert!(call.source.starts_with("https://"), "{}: {} has no source", call.path, call.method);
            }
        }
    }

    #[test]
    fn what_begins_a_request_is_no_call() {
        for krate in &Catalog::load(CRATES).unwrap().crates {
            let begins = |call: &&super::super::call::Call| {
                let same =
                    krate.returns.iter().filter(|entry| (&entry.path, &entry.method) == (&call.path, &call.method));
                same.into_iter().any(|entry| entry.http_method.is_some())
            };
            let wrong: Vec<_> = krate.call.iter().filter(begins).map(|call| (&call.path, &call.method)).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?} only begin a request", krate.package);
        }
    }
}
