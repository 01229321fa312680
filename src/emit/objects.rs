//! The routines and views of a ledger's text, each with what makes it, what drops it and who may use it.

use std::collections::BTreeSet;

use super::statements::statements;
use super::template::fill;
use super::transitions;
use crate::diagnostic::Fault;
use crate::manifest::diff::Emitted;
use crate::source::Source;
use crate::sql::cursor::normal_text;
use crate::sql::ddl::{Act, ActKind, Called, Privileges};
use crate::sql::{Parsed, tokens};

/// A routine or a view. In the ledger no two share a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    /// Its name.
    pub(super) name: String,
    /// What PostgreSQL holds of it.
    pub(super) shape: Shape,
    /// The statement that makes it, with the comments that stand before it.
    pub(super) create: String,
    /// The statement that drops it, of the text's way back.
    pub(super) drop: String,
    /// The statements that let others use it.
    pub(super) grants: Vec<String>,
}

/// What decides how a new text takes the place of an old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A function or procedure.
    Routine {
        /// Types of the arguments that a call gives: with other ones it is another routine beside the first.
        arguments: Vec<String>,
        /// Names, types and defaults of all arguments, and what it returns: a replacement may not change them.
        head: String,
    },
    /// A view.
    View,
}

impl Object {
    /// Whether PostgreSQL would hold the same of both.
    pub(super) fn is_like(&self, other: &Object) -> bool {
        normal_text(&self.create) == normal_text(&other.create)
    }

    /// Whether CREATE OR REPLACE takes the other's place. Of a view that is not known: its columns stand in its query.
    pub(super) fn may_replace(&self, other: &Object) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Routine { head, .. }, Shape::Routine { head: old, .. }) => head == old,
            (Shape::View, Shape::View) => true,
            (Shape::Routine { .. }, Shape::View) | (Shape::View, Shape::Routine { .. }) => false,
        }
    }

    /// Whether both can be there at once.
    pub(super) fn stands_beside(&self, other: &Object) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Routine { arguments, .. }, Shape::Routine { arguments: old, .. }) => arguments != old,
            (Shape::View, _) | (_, Shape::View) => false,
        }
    }

    /// The statement that makes it where it may be there already.
    pub(super) fn replacement(&self) -> String {
        let words = tokens(&self.create);
        let at = words.first().map_or(0, |create| create.span.end);
        let (create, rest) = self.create.split_at_checked(at).unwrap_or_default();
        format!("{create} OR REPLACE{rest}")
    }

    /// The statement that takes what PUBLIC may do with a new one by itself.
    pub(super) fn closure(&self) -> String {
        let what = self.drop.strip_prefix("DROP ").unwrap_or(&self.drop);
        format!("REVOKE ALL ON {} FROM PUBLIC", what.strip_prefix("VIEW ").unwrap_or(what))
    }
}

/// The routines and views of `text`, in its order.
///
/// # Errors
/// When the template is broken, or its way back does not drop each of them in a statement of its own.
pub(super) fn objects(text: &str, emitted: &Emitted) -> Result<Vec<Object>, Fault> {
    let filled = fill(text, emitted, &transitions::values()?)?;
    let read = |text: &str| -> Vec<(String, Vec<Act>)> {
        statements(text)
            .into_iter()
            .map(|statement| {
                let acts = acts(&statement);
                (statement, acts)
            })
            .collect()
    };
    let (up, down) = (read(&filled.up), read(&filled.down));
    let mut found = Vec::new();
    for (create, made) in &up {
        for act in made {
            let (name, shape) = match &act.kind {
                ActKind::CreateRoutine { name, routine, .. } => {
                    (&name.name, Shape::Routine { arguments: routine.arguments.clone(), head: head(create) })
                }
                ActKind::CreateView { name, .. } => (&name.name, Shape::View),
                _ => continue,
            };
            let drop = down.iter().find(|(_, acts)| dropped(acts).is_some_and(|other| other == name));
            let (drop, _) = drop.ok_or_else(|| broken(&format!("the way back does not drop {name}")))?;
            let grants = up.iter().filter(|(_, acts)| grants_on(acts, name)).map(|(grant, _)| grant.clone()).collect();
            let (name, create, drop) = (name.clone(), create.clone(), uncommented(drop).to_owned());
            found.push(Object { name, shape, create, drop, grants });
        }
    }
    Ok(found)
}

/// The routines and views that a text drops.
pub(super) fn drops(text: &str) -> BTreeSet<String> {
    statements(text).iter().filter_map(|statement| dropped(&acts(statement)).cloned()).collect()
}

fn dropped(acts: &[Act]) -> Option<&String> {
    acts.iter().find_map(|act| match &act.kind {
        ActKind::DropRoutine { routine: Called { name, .. }, .. } | ActKind::DropView { name } => Some(&name.name),
        _ => None,
    })
}

fn grants_on(acts: &[Act], name: &str) -> bool {
    acts.iter().any(|act| match &act.kind {
        ActKind::Grant { give: true, grant: Privileges { objects, all_in_schema: false, .. } } => {
            objects.iter().any(|one| one.name.name == name)
        }
        _ => false,
    })
}

fn acts(statement: &str) -> Vec<Act> {
    let read = crate::sql::statements(&Source::new("", statement));
    let parsed = read.into_iter().map(|statement| statement.parsed);
    parsed.flat_map(|parsed| if let Parsed::Read(acts) = parsed { acts } else { Vec::new() }).collect()
}

/// Everything before LANGUAGE, which stands behind arguments and RETURNS in every routine of ours.
fn head(create: &str) -> String {
    let words = tokens(create);
    let end = words.iter().find(|word| word.is_word(create, "language")).map_or(create.len(), |word| word.span.start);
    normal_text(create.get(..end).unwrap_or_default())
}

fn uncommented(statement: &str) -> &str {
    let start = tokens(statement).first().map_or(0, |token| token.span.start);
    statement.get(start..).unwrap_or_default()
}

fn broken(message: &str) -> Fault {
    Fault::new(format!("the ledger's text is broken: {message}")).with_help("please report this")
}
