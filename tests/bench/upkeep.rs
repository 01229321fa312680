//! Sweep and purge of many rows in batches, and how long the longest of them locks what it touches.

use std::time::Instant;

use super::stage::{Bench, Stage};
use super::table::{Table, median, thousands};
use super::variants::{SPREAD_KEY, Variant};

/// Batches, each a statement, until one finds nothing.
struct Batches {
    name: &'static str,
    seconds: Vec<f64>,
    /// Rows that were marked, stripped or deleted.
    changes: u64,
}

/// Sweep, then purge.
pub(crate) async fn measure(bench: &Bench<'_>) -> Table {
    let rows = bench.options.rows;
    let mut table = Table::new(
        format!("Sweep of {0} overdue actions, purge of {0} actions past their time", thousands(rows as f64)),
        &["statement", "batches", "changes", "first", "median", "longest", "which", "in all"],
    );
    let ours = Variant::Ours;

    let stage = bench.stage(&[ours]).await;
    eprintln!("upkeep: {rows} overdue rows");
    stage.without_guards(ours, &ours.fill_overdue(rows)).await;
    let swept = batches(&stage, "SELECT onlyonce.sweep(1000)", "SELECT onlyonce.sweep(1000)::bigint").await;
    stage.discard().await;

    let stage = bench.stage(&[ours]).await;
    eprintln!("upkeep: {rows} rows past their time");
    // Half of them lose their payload; the others lose it too, and go whole.
    let half = rows / 2;
    let gone = SPREAD_KEY.replace("(i::numeric", &format!("((i + {half})::numeric"));
    stage.without_guards(ours, &ours.fill_sent(half, SPREAD_KEY, "interval '2 days'")).await;
    stage.without_guards(ours, &ours.fill_sent(rows - half, &gone, "interval '200 days'")).await;
    let sum = "SELECT (payloads_stripped + actions_deleted + events_deleted)::bigint FROM onlyonce.purge(10000)";
    let purged = batches(&stage, "SELECT onlyonce.purge(10000)", sum).await;
    stage.discard().await;

    for batches in [swept, purged] {
        table.push(&batches.cells());
    }
    table
}

/// Runs the statement until it finds nothing. The analysis and the vacuum that would come by and by come first, so
/// that no plan is made for the empty table that this was.
async fn batches(stage: &Stage<'_>, name: &'static str, statement: &str) -> Batches {
    stage.database.run("VACUUM ANALYZE onlyonce.actions").await;
    stage.database.run("CHECKPOINT").await;
    let mut batches = Batches { name, seconds: Vec::new(), changes: 0 };
    loop {
        let started = Instant::now();
        let moved = stage.root.query_one(statement, &[]).await.unwrap().get::<_, i64>(0);
        batches.seconds.push(started.elapsed().as_secs_f64());
        batches.changes += moved.unsigned_abs();
        if batches.seconds.len().is_multiple_of(100) {
            eprintln!("  {} changes in {} batches", batches.changes, batches.seconds.len());
        }
        if moved == 0 {
            return batches;
        }
    }
}

impl Batches {
    fn cells(&self) -> [String; 8] {
        let longest = self.seconds.iter().copied().enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
        let (place, longest) = longest.unwrap_or_default();
        [
            self.name.to_owned(),
            self.seconds.len().to_string(),
            thousands(self.changes as f64),
            // Beside the median: whether batches get slower as they go.
            format!("{:.0} ms", 1e3 * self.seconds.first().copied().unwrap_or_default()),
            format!("{:.0} ms", 1e3 * median(&self.seconds)),
            format!("{:.0} ms", 1e3 * longest),
            format!("batch {}", place + 1),
            format!("{:.1} s", self.seconds.iter().sum::<f64>()),
        ]
    }
}
