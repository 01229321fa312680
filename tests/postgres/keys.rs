//! `key()` gives the text that Rust gives.

use proptest::prelude::{Strategy as _, any};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::ledger::{Ledger, ask, on_every_major};

#[derive(serde::Deserialize)]
struct Vector {
    parts: Vec<String>,
    key: String,
}

#[tokio::test]
async fn keys_are_the_shared_vectors() {
    on_every_major(shared_vectors).await;
}

pub(crate) async fn shared_vectors(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let vectors: Vec<Vector> = serde_json::from_str(include_str!("../vectors/keys.json")).unwrap();
    for vector in vectors {
        assert_eq!(ask(&worker, "key", &[&"send", &vector.parts]).await, Ok(vector.key), "{:?}", vector.parts);
    }
}

#[tokio::test]
async fn keys_of_random_parts_are_those_of_rust() {
    on_every_major(random_parts).await;
}

pub(crate) async fn random_parts(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let mut runner = TestRunner::default();
    // PostgreSQL has no text with NUL in it.
    let part = any::<String>().prop_map(|text| text.replace('\0', ""));
    let parts = proptest::collection::vec(part, 1..5);
    for _ in 0..500 {
        let parts = parts.new_tree(&mut runner).unwrap().current();
        let expected = onlyonce::key::canonical(&parts);
        assert_eq!(ask(&worker, "key", &[&"send", &parts]).await, Ok(expected), "{parts:?}");
    }
}

#[tokio::test]
async fn no_key_is_made_of_nothing() {
    on_every_major(of_nothing).await;
}

pub(crate) async fn of_nothing(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for call in ["NULL, ARRAY['a']", "'send', NULL", "'send', '{}'", "'send', ARRAY['a', NULL]", "'send', '{{a},{b}}'"]
    {
        assert_eq!(crate::ledger::refusal(&worker, &format!("SELECT onlyonce.key({call})")).await, "OO003", "{call}");
    }
}
