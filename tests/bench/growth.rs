//! Pairs in tables that hold many rows already, beside a bare table of the same size.

use super::stage::Bench;
use super::table::{Table, median, ratio, thousands};
use super::variants::{SPREAD_KEY, Variant};

/// The ledger beside the bare table, at each size.
pub(crate) async fn measure(bench: &Bench<'_>) -> Table {
    const VARIANTS: [Variant; 2] = [Variant::Bare, Variant::Ours];
    let options = bench.options;
    let clients = options.clients.get(options.clients.len() / 2).copied().unwrap_or(8);
    let mut table = Table::new(
        format!("Pairs in a table that holds rows already, {clients} clients"),
        &["rows", "ledger / bare", "ledger/s", "bare/s"],
    );
    let mut sizes = vec![options.rows / 100, options.rows / 10, options.rows];
    if options.full {
        sizes.push(options.rows * 10);
    }
    for rows in sizes {
        eprintln!("growth, {rows} rows, {clients} clients");
        let stage = bench.stage(&VARIANTS).await;
        let mut rates = [Vec::new(), Vec::new()];
        for round in 0..options.rounds {
            for (variant, rates) in VARIANTS.into_iter().zip(&mut rates) {
                // A run adds thousands of rows: a small table has to be filled anew, a large one stays as large.
                if round == 0 || rows < 500_000 {
                    stage.empty(variant).await;
                    let fill = variant.fill_sent(rows, SPREAD_KEY, "interval '1 hour'");
                    stage.without_guards(variant, &fill).await;
                    stage.database.run(&format!("VACUUM ANALYZE {}.actions", variant.name())).await;
                }
                stage.wait_until_alone().await;
                rates.push(stage.run(&variant.pair(), clients).await.per_second);
            }
            eprintln!("  round {} of {}", round + 1, options.rounds);
        }
        let [bare, ours] = &rates;
        let medians = [ours, bare].map(|rates| thousands(median(rates)));
        let [ours_rate, bare_rate] = medians;
        table.push(&[thousands(rows as f64), ratio(ours, bare), ours_rate, bare_rate]);
        stage.discard().await;
    }
    table
}
