//! What a person orders: that an action's data goes, that nothing new goes out, that it may again.

use postgres::types::Type;

use crate::diagnostic::Fault;
use crate::live::Ledger;
use crate::live::refusal::{self, Doing};

impl Ledger {
    /// Takes away what may be about a person: `erased`, or `absent` where there is no such action.
    ///
    /// # Errors
    /// When a worker may still be sending it, or the ledger refuses for another reason.
    pub fn erase(&mut self, action_type: &str, key: &str, actor: &str) -> Result<String, Fault> {
        let values: [super::Value<'_>; 3] = [(&action_type, Type::TEXT), (&key, Type::TEXT), (&actor, Type::TEXT)];
        let answer = self.call("erase($1, $2, $3)", &values);
        answer.map_err(|error| refusal::told(&error, Doing::Erasing, self))
    }

    /// Whether `reserve` answers `paused`.
    ///
    /// # Errors
    /// When the numbers cannot be read.
    pub fn is_paused(&mut self) -> Result<bool, Fault> {
        let statement = format!("SELECT h.value > 0 FROM {}.health AS h WHERE h.name = 'paused'", self.schema);
        let answers = self.read(Doing::Pausing, &[(statement, Vec::new())])?;
        let row = answers.first().and_then(|rows| rows.first());
        Ok(row.and_then(|row| row.try_get(0).ok()).unwrap_or(false))
    }

    /// Lets nothing new go out. Where that is so already, the earlier reason stays.
    ///
    /// # Errors
    /// When the ledger refuses.
    pub fn pause(&mut self, reason: &str, actor: &str) -> Result<(), Fault> {
        let values: [super::Value<'_>; 2] = [(&reason, Type::TEXT), (&actor, Type::TEXT)];
        let answer = self.call("pause($1, $2)::text", &values);
        answer.map(drop).map_err(|error| refusal::told(&error, Doing::Pausing, self))
    }

    /// Ends the pause.
    ///
    /// # Errors
    /// When the ledger refuses.
    pub fn resume(&mut self, actor: &str) -> Result<(), Fault> {
        let answer = self.call("resume($1)::text", &[(&actor, Type::TEXT)]);
        answer.map(drop).map_err(|error| refusal::told(&error, Doing::Pausing, self))
    }
}
