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
        format!("Pairs in a table that holds rows already, {clients} clients; octets a row"),
        &["rows", "ledger / bare", "ledger/s", "bare/s", "ledger: table, indexes", "bare: table, indexes"],
    );
    let mut sizes = vec![options.rows / 100, options.rows / 10, options.rows];
    if options.full {
        sizes.push(options.rows * 10);
    }
    let stage = bench.stage(&VARIANTS).await;
    for rows in sizes {
        eprintln!("growth, {rows} rows, {clients} clients");
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
        table.push(&[
            thousands(rows as f64),
            ratio(ours, bare),
            thousands(median(ours)),
            thousands(median(bare)),
            a_row(stage.sizes(Variant::Ours).await),
            a_row(stage.sizes(Variant::Bare).await),
        ]);
    }
    stage.discard().await;
    table
}

/// Octets of the table and of its indexes.
fn a_row((table, indexes): (f64, f64)) -> String {
    format!("{table:.0} B, {indexes:.0} B")
}
