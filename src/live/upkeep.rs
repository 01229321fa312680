//! What runs by the clock: the sweep and the purge, in bounded batches, each a transaction of its own.

use std::time::{Duration, Instant};

use postgres::types::Type;

use crate::diagnostic::Fault;
use crate::live::Ledger;
use crate::live::refusal::{self, Doing};

/// The most of each sort that one call of `purge` takes away, however many are asked for.
pub const LARGEST_PURGE: i32 = 10_000;

/// A batch that took less ended for want of rows, and not of the time that the ledger bounds it by (500 ms).
const IN_TIME: Duration = Duration::from_millis(400);

/// What a purge took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Final actions that lost payload and result.
    pub payloads_stripped: u64,
    /// Final actions that are gone, key and all.
    pub actions_deleted: u64,
    /// Processed events past their source's retention.
    pub events_deleted: u64,
}

impl Purged {
    /// Adds another batch.
    pub fn add(&mut self, other: Purged) {
        self.payloads_stripped += other.payloads_stripped;
        self.actions_deleted += other.actions_deleted;
        self.events_deleted += other.events_deleted;
    }

    fn most(self) -> u64 {
        self.payloads_stripped.max(self.actions_deleted).max(self.events_deleted)
    }
}

impl Ledger {
    /// Marks what is pending past its deadline unknown, until a batch is not full though there was time. Each batch is
    /// told.
    ///
    /// # Errors
    /// When the ledger refuses; what was told before stays done.
    pub fn sweep(&mut self, max_rows: i32, told: &mut dyn FnMut(u64)) -> Result<(), Fault> {
        loop {
            let began = Instant::now();
            let statement = format!("SELECT {}.sweep($1)", self.schema);
            let row = self.client.query_typed_one(&statement, &[(&max_rows, Type::INT4)]);
            let moved = row.and_then(|row| row.try_get::<_, i32>(0));
            let moved = moved.map_err(|error| refusal::told(&error, Doing::Upkeep, self))?;
            told(count(moved));
            if is_last(count(moved), max_rows, began) {
                return Ok(());
            }
        }
    }

    /// Takes away what is final and past its time, until a batch is not full though there was time. Each batch is
    /// told.
    ///
    /// # Errors
    /// When the ledger refuses; what was told before stays done.
    pub fn purge(&mut self, max_rows: i32, told: &mut dyn FnMut(Purged)) -> Result<(), Fault> {
        let max_rows = max_rows.min(LARGEST_PURGE);
        loop {
            let began = Instant::now();
            let columns = "payloads_stripped, actions_deleted, events_deleted";
            let statement = format!("SELECT {columns} FROM {}.purge($1)", self.schema);
            let row = self.client.query_typed_one(&statement, &[(&max_rows, Type::INT4)]);
            let batch = row.and_then(|row| {
                Ok(Purged {
                    payloads_stripped: count(row.try_get(0)?),
                    actions_deleted: count(row.try_get(1)?),
                    events_deleted: count(row.try_get(2)?),
                })
            });
            let batch = batch.map_err(|error| refusal::told(&error, Doing::Upkeep, self))?;
            told(batch);
            if is_last(batch.most(), max_rows, began) {
                return Ok(());
            }
        }
    }
}

/// Whether nothing is left to do after a batch that moved so many: it was not full, though there was time.
fn is_last(moved: u64, max_rows: i32, began: Instant) -> bool {
    moved < count(max_rows) && (moved == 0 || began.elapsed() < IN_TIME)
}

/// A count of rows is never under zero.
fn count(rows: i32) -> u64 {
    u64::try_from(rows).unwrap_or(0)
}
