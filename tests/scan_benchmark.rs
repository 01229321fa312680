//! The benchmark of the scanner still runs: its smallest form, once. What it measures is nobody's business here.

#[allow(dead_code, unreachable_pub, reason = "the program's own main and arguments are not used")]
#[path = "bench/scan.rs"]
mod bench;

#[test]
fn every_part_is_measured() {
    let tree = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sales");
    let options = bench::Options { trees: vec![tree], rounds: 1, growth: true, size: 1, bench: false };
    let mut text = String::new();
    bench::measure(&options, |part| text.push_str(part)).unwrap();
    for wanted in ["syn alone", "cold, no cache", "unchanged, cached", "one file changed", "Many files", "One function"]
    {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
}
