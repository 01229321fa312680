//! Pairs of reserve and record a second, in rounds that run one variant after the other, so that whatever else the
//! machine does falls on all of them.

use super::stage::{Bench, Counts, Stage};
use super::table::{Table, median, ratio, thousands};
use super::variants::Variant;

/// What the runs of one variant came to.
#[derive(Clone, Default)]
pub(crate) struct Runs {
    /// Scripts a second, by round.
    pub(crate) rates: Vec<f64>,
    scripts: f64,
    counts: Counts,
    sizes: (f64, f64),
}

/// The ledger beside the floor and the bare table.
pub(crate) async fn measure(bench: &Bench<'_>) -> Vec<Table> {
    const VARIANTS: [Variant; 3] = [Variant::Bare, Variant::Floor, Variant::Ours];
    let stage = bench.stage(&VARIANTS).await;
    let mut tables = Vec::new();
    for (heading, script) in [
        ("Pairs, no duplicates", Variant::pair as fn(Variant) -> String),
        ("Pairs, a tenth of the reserves are duplicates", Variant::pair_and_a_tenth_again),
    ] {
        let mut table = Table::new(
            format!("{heading}: medians of the paired ratios (least..greatest)"),
            &["clients", "ledger / floor", "ledger / bare", "floor / bare", "ledger/s", "floor/s", "bare/s"],
        );
        let mut space = Table::new(
            format!("{heading}: what is written"),
            &["clients, variant", "WAL a pair", "HOT updates", "table a row", "indexes a row"],
        );
        for &clients in &bench.options.clients {
            eprintln!("{heading}, {clients} clients");
            let runs = rounds(bench, &stage, &VARIANTS, script, clients).await;
            let [bare, floor, ours] = &runs[..] else { unreachable!("a run of each variant") };
            table.push(&[
                clients.to_string(),
                ratio(&ours.rates, &floor.rates),
                ratio(&ours.rates, &bare.rates),
                ratio(&floor.rates, &bare.rates),
                thousands(median(&ours.rates)),
                thousands(median(&floor.rates)),
                thousands(median(&bare.rates)),
            ]);
            for (variant, runs) in VARIANTS.iter().zip(&runs) {
                space.push(&runs.written(&format!("{clients}, {}", variant.name())));
            }
        }
        tables.extend([table, space]);
    }
    tables
}

/// The ledger in eight partitions beside the ledger in one table.
pub(crate) async fn partitions(bench: &Bench<'_>) -> Vec<Table> {
    const VARIANTS: [Variant; 2] = [Variant::Ours, Variant::Parted];
    let stage = bench.stage(&VARIANTS).await;
    let mut table = Table::new(
        "Eight partitions beside one table: medians of the paired ratios (least..greatest)".to_owned(),
        &["clients", "partitions / plain", "partitions/s", "plain/s"],
    );
    let mut space = Table::new(
        "Eight partitions beside one table: what is written".to_owned(),
        &["clients, variant", "WAL a pair", "HOT updates", "table a row", "indexes a row"],
    );
    let mut clients: Vec<u32> = bench.options.clients.iter().copied().filter(|&clients| clients > 1).collect();
    if clients.is_empty() {
        clients.clone_from(&bench.options.clients);
    }
    for clients in clients {
        eprintln!("partitions, {clients} clients");
        let runs = rounds(bench, &stage, &VARIANTS, Variant::pair, clients).await;
        let [plain, parted] = &runs[..] else { unreachable!("a run of each variant") };
        table.push(&[
            clients.to_string(),
            ratio(&parted.rates, &plain.rates),
            thousands(median(&parted.rates)),
            thousands(median(&plain.rates)),
        ]);
        for (variant, runs) in VARIANTS.iter().zip(&runs) {
            space.push(&runs.written(&format!("{clients}, {}", variant.name())));
        }
    }
    vec![table, space]
}

/// Rounds on empty tables. Each begins with another variant, so that none is always the one that comes first.
async fn rounds(
    bench: &Bench<'_>,
    stage: &Stage<'_>,
    variants: &[Variant],
    script: fn(Variant) -> String,
    clients: u32,
) -> Vec<Runs> {
    let mut all = vec![Runs::default(); variants.len()];
    for round in 0..bench.options.rounds as usize {
        for turn in 0..variants.len() {
            let place = (round + turn) % variants.len();
            let variant = variants[place];
            stage.empty(variant).await;
            let before = stage.counts(variant).await;
            let run = stage.run(&script(variant), clients).await;
            let after = stage.counts(variant).await;
            assert_eq!(stage.sent(variant).await, run.transactions, "every action of {} is sent", variant.name());
            let runs = &mut all[place];
            runs.rates.push(run.per_second);
            runs.scripts += run.transactions as f64;
            runs.counts.wal += after.wal - before.wal;
            runs.counts.updates += after.updates - before.updates;
            runs.counts.hot += after.hot - before.hot;
            runs.sizes = stage.sizes(variant).await;
        }
        let rates: Vec<String> = all.iter().map(|runs| thousands(runs.rates[round])).collect();
        eprintln!("  round {} of {}: {}/s", round + 1, bench.options.rounds, rates.join(", "));
    }
    all
}

impl Runs {
    /// WAL, HOT updates and sizes as cells.
    fn written(&self, name: &str) -> [String; 5] {
        [
            name.to_owned(),
            format!("{:.0} B", self.counts.wal / self.scripts),
            format!("{:.1} %", 100.0 * self.counts.hot / self.counts.updates),
            format!("{:.0} B", self.sizes.0),
            format!("{:.0} B", self.sizes.1),
        ]
    }
}
