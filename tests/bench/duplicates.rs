//! Nothing but duplicates of settled actions, beside a SELECT of the same rows by primary key.

use super::stage::Bench;
use super::table::{Table, median, ratio, thousands};
use super::variants::Variant;

/// Duplicates beside SELECTs.
pub(crate) async fn measure(bench: &Bench<'_>) -> Table {
    const VARIANTS: [Variant; 2] = [Variant::Bare, Variant::Ours];
    let rows = bench.options.rows / 10;
    let clients = bench.options.clients.last().copied().unwrap_or(32);
    let stage = bench.stage(&VARIANTS).await;
    eprintln!("duplicates of {rows} rows, {clients} clients");
    for variant in VARIANTS {
        stage.without_guards(variant, &variant.fill_sent(rows, "i::text", "interval '1 hour'")).await;
        stage.database.run(&format!("VACUUM ANALYZE {}.actions", variant.name())).await;
    }
    stage.wait_until_alone().await;
    let before = stage.counts(Variant::Ours).await;
    let mut rates = [Vec::new(), Vec::new()];
    let mut asked = 0;
    for round in 0..bench.options.rounds {
        for (variant, rates) in VARIANTS.into_iter().zip(&mut rates) {
            let run = stage.run(&variant.duplicate(rows), clients).await;
            rates.push(run.per_second);
            asked += if variant == Variant::Ours { run.transactions } else { 0 };
        }
        eprintln!("  round {} of {}", round + 1, bench.options.rounds);
    }
    let after = stage.counts(Variant::Ours).await;
    let [bare, ours] = &rates;
    let mut table = Table::new(
        format!("Duplicates of {} settled actions", thousands(rows as f64)),
        &["clients", "reserve / SELECT", "reserve/s", "SELECT/s", "duplicates", "dead rows in actions", "updates"],
    );
    table.push(&[
        clients.to_string(),
        ratio(ours, bare),
        thousands(median(ours)),
        thousands(median(bare)),
        thousands(asked as f64),
        thousands(after.dead - before.dead),
        thousands(after.updates - before.updates),
    ]);
    table
}
