//! Numbers to watch: the views `health` and `duplicate_counts`.

use serde::Serialize;

use crate::diagnostic::Fault;
use crate::live::Ledger;
use crate::live::refusal::Doing;

/// A row of `health`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gauge {
    /// Its name; what belongs to one source ends in `.` and the source's name. Names in `_seconds` are seconds.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// A row of `duplicate_counts`: how often something came again, came late or was swept, in all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// `action` or `inbound`.
    pub scope: String,
    /// The action type or the source.
    pub name: String,
    /// What happened: `sent`, `in_progress`, `payload_conflict`, `fenced` and so on.
    pub kind: String,
    /// How often.
    pub hits: i64,
}

/// All of them, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Numbers {
    /// How it stands now, sorted by name.
    pub health: Vec<Gauge>,
    /// What happened so far, sorted.
    pub duplicate_counts: Vec<Count>,
}

impl Ledger {
    /// Reads both views.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn numbers(&mut self) -> Result<Numbers, Fault> {
        let schema = &self.schema;
        let health = format!("SELECT name, value FROM {schema}.health ORDER BY name");
        let counts = format!("SELECT scope, name, kind, hits FROM {schema}.duplicate_counts ORDER BY 1, 2, 3");
        let mut answers = self.read(Doing::Reading, &[(health, Vec::new()), (counts, Vec::new())])?.into_iter();
        let (health, counts) = (answers.next().unwrap_or_default(), answers.next().unwrap_or_default());
        let health = health.iter().map(|row| Ok(Gauge { name: row.try_get(0)?, value: row.try_get(1)? }));
        let counts = counts.iter().map(|row| {
            Ok(Count { scope: row.try_get(0)?, name: row.try_get(1)?, kind: row.try_get(2)?, hits: row.try_get(3)? })
        });
        let health = health.collect::<Result<_, postgres::Error>>();
        let counts = counts.collect::<Result<_, postgres::Error>>();
        Ok(Numbers {
            health: health.map_err(|error| self.strange(&error))?,
            duplicate_counts: counts.map_err(|error| self.strange(&error))?,
        })
    }
}
