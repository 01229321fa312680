//! Whether two definitions are the same in what they do, however their expressions are spelled: a server shows an
//! expression otherwise than it was written.

use super::{Column, Constraint, Demand, Index, Trigger};
use crate::sql::ddl::{Generated, NewTrigger};
use crate::sql::meaning::same;

impl Column {
    /// Whether both are the same column.
    #[must_use]
    pub fn is_alike(&self, other: &Column) -> bool {
        let generated = match (&self.generated, &other.generated) {
            (Some(Generated::Expression(one)), Some(Generated::Expression(other))) => same(one, other),
            (one, other) => one == other,
        };
        generated
            && same_if_any(self.default.as_deref(), other.default.as_deref())
            && self.type_name == other.type_name
            && self.not_null.is_some() == other.not_null.is_some()
            && self.collation == other.collation
    }
}

impl Constraint {
    /// Whether both demand the same, at the same time.
    #[must_use]
    pub fn is_alike(&self, other: &Constraint) -> bool {
        let demand = match (&self.demand, &other.demand) {
            (Demand::Check(one), Demand::Check(other)) => same(one, other),
            (one, other) => one == other,
        };
        demand && (self.deferrable, self.valid, self.whole) == (other.deferrable, other.valid, other.whole)
    }
}

impl Index {
    /// Whether one can be the part that a partition has of the other.
    #[must_use]
    pub fn is_part_of(&self, other: &Index) -> bool {
        let definition = |one: &Index| Index { whole: true, ..one.clone() };
        definition(self) == definition(other)
    }
}

impl Trigger {
    /// Whether both fire for the same and run the same function.
    #[must_use]
    pub fn is_alike(&self, other: &Trigger) -> bool {
        let condition = same_if_any(self.definition.condition.as_deref(), other.definition.condition.as_deref());
        let rest = |one: &Trigger| {
            let definition = NewTrigger { condition: None, ..one.definition.clone() };
            (definition, one.function.clone(), one.enabled)
        };
        condition && rest(self) == rest(other)
    }
}

fn same_if_any(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one == other,
    }
}
