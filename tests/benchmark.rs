//! The benchmark of the ledger still runs: its smallest form, once. What it measures is nobody's business here.

#[allow(dead_code, unreachable_pub, reason = "the program's own main and arguments are not used")]
#[path = "bench/ledger.rs"]
mod bench;

use bench::variants::Variant;
use bench::{Bench, Options, What};
use tokio_postgres::{Client, SimpleQueryMessage};

fn smallest(what: What, seconds: u32) -> Options {
    // 14 may tell its statistics late.
    let majors = bench::support::majors();
    let major = *majors.iter().find(|major| **major > 14).unwrap_or(&majors[0]);
    Options { what, rounds: 1, seconds, clients: vec![1], postgres: major, rows: 1000, full: false, bench: false }
}

async fn shown(options: &Options) -> String {
    let mut text = String::new();
    bench::measure(options, |part| text.push_str(part)).await.unwrap();
    text
}

/// What a variant answers to the two statements of an action: the words of its functions, or the rows of its
/// statements.
async fn answers(root: &Client, variant: Variant) -> [String; 2] {
    let mut answers = Vec::new();
    for statement in [variant.reserve("'a-first-key'"), variant.record("'a-first-key'")] {
        let messages = root.simple_query(&statement).await.unwrap();
        answers.extend(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            SimpleQueryMessage::CommandComplete(rows) => Some(rows.to_string()),
            _ => None,
        }));
    }
    answers.try_into().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_variant_lets_an_action_go_and_records_it() {
    let options = smallest(What::Throughput, 1);
    let bench = Bench::start(&options).unwrap();
    let variants = [Variant::Bare, Variant::Floor, Variant::Ours, Variant::Parted];
    let stage = bench.stage(&variants).await;
    for variant in variants {
        let wanted = if variant == Variant::Bare { ["1", "1"] } else { ["go", "recorded"] };
        assert_eq!(answers(&stage.root, variant).await, wanted, "{}", variant.name());
        assert_eq!(stage.sent(variant).await, 1, "{}", variant.name());
        // The second time it is a duplicate, and nothing more is sent.
        assert_ne!(answers(&stage.root, variant).await[0], wanted[0], "{}", variant.name());
        assert_eq!(stage.sent(variant).await, 1, "{}", variant.name());
        stage.empty(variant).await;
        assert_eq!(stage.sent(variant).await, 0, "{}", variant.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_of_pairs_is_measured() {
    let text = shown(&smallest(What::Throughput, 1)).await;
    for wanted in ["ledger / floor", "| 1, bare", "| 1, floor", "| 1, onlyonce", "WAL a pair", "HOT updates"] {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_part_is_measured() {
    let text = shown(&smallest(What::All, 0)).await;
    for wanted in ["Duplicates of 100 settled", "holds rows already", "sweep(1000)", "purge(10000)", "partitions/s"] {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
    // All thousand rows were swept. As many were past their time: half lost their payload, half went whole.
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("sweep(1000)").contains(" 1'000 "), "{text}");
    assert!(line("purge(10000)").contains(" 1'000 "), "{text}");
}
