//! The benchmark of the client still runs: its smallest form, once. What it measures is nobody's business here.

#[allow(dead_code, unreachable_pub, reason = "the program's own main and arguments are not used")]
#[path = "bench/client.rs"]
mod bench;

#[tokio::test(flavor = "multi_thread")]
async fn both_ways_are_measured() {
    let options = bench::Options { rounds: 1, actions: 40, workers: vec![2], postgres: 15, bench: false };
    let mut shown = String::new();
    bench::measure(&options, |text| shown.push_str(text)).await;
    assert!(shown.starts_with("2 workers, 1 rounds of 40 actions: client / by hand "), "{shown}");
    assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
}
