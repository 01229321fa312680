//! From one version of the ledger to the next, and back, for those who emitted an older one.
//!
//! What an upgrade does to tables is written by hand in `sql/upgrades/N.sql`, in one or several steps, each of which
//! becomes a migration. Routines and views are not written there. In either direction, `{new_routines}` stands for the
//! statements that make the routines that come to stand beside what is there, `{routines}` for those that change the
//! other routines and the views, and `{gone}` for those that drop what is no longer there. What is alike in both texts
//! is not touched.
//!
//! A routine whose arguments' names and types and result are the same is replaced, so that who calls it, a constraint
//! or a trigger that uses it and what was granted all stay. With arguments of other types it is made beside the old
//! one, which goes with `{gone}`; with other names or another result it is dropped and made anew at once. A view is
//! replaced; where its columns change otherwise than by new ones at the end, the template drops it, and then it is made
//! anew.

use std::collections::BTreeSet;

use super::changes::{Statements, one_role};
use super::objects::{Object, Shape, drops, objects};
use super::statements::statements;
use super::template::{Filled, Values, fill_step, steps};
use super::versions::Version;
use crate::diagnostic::Fault;
use crate::manifest::Distribution;
use crate::manifest::diff::Emitted;
use crate::migration::Kind;

/// One migration of an upgrade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The migration's name: `onlyonce_upgrade_2`, `onlyonce_upgrade_2_validate`.
    pub name: String,
    /// Its statements.
    pub statements: Statements,
    /// Whose it is, and how it runs.
    pub kind: Kind,
}

/// The upgrade from one version to the one after it, of the ledger that `emitted` describes. The migrations come in
/// this order and are undone in reverse.
///
/// # Errors
/// When a template is broken, or leaves out what differs.
pub fn upgrade(from: &Version, to: &Version, emitted: &Emitted) -> Result<Vec<Step>, Fault> {
    if emitted.distribution == Distribution::Citus {
        return Err(Fault::new("a ledger that Citus distributes cannot be upgraded by a migration yet")
            .with_help("emit a new ledger from a manifest of its own and drain this one"));
    }
    let names = steps(to.upgrade, emitted)?;
    let bare = Values::from(["new_routines", "routines", "gone"].map(|name| (name.to_owned(), String::new())));
    let by_hand: Vec<Filled> =
        names.iter().map(|step| fill_step(to.upgrade, step, emitted, &bare)).collect::<Result<_, _>>()?;
    let (old, new) = (objects(from.text, emitted)?, objects(to.text, emitted)?);
    let dropped = |text: fn(&Filled) -> &String| by_hand.iter().flat_map(|step| drops(text(step))).collect();
    let there = rewrite(&old, &new, &dropped(|step| &step.up));
    let back = rewrite(&new, &old, &dropped(|step| &step.down));
    for (values, way) in [(&there, "up"), (&back, "down")] {
        for (name, text) in values.iter().filter(|(_, text)| !text.is_empty()) {
            demand_place(to, name, way, text)?;
        }
    }
    names.iter().map(|step| filled(to, step, emitted, &there, &back)).collect()
}

fn filled(to: &Version, step: &str, emitted: &Emitted, there: &Values, back: &Values) -> Result<Step, Fault> {
    let up = statements(&fill_step(to.upgrade, step, emitted, there)?.up);
    let down = statements(&fill_step(to.upgrade, step, emitted, back)?.down);
    let name = [&format!("onlyonce_upgrade_{}", to.number), step];
    let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    Ok(Step { name, statements: Statements { up: one_role(up), down: one_role(down) }, kind: Kind::Ledger })
}

/// What makes `old` routines and views into `new` ones, save those that the template drops itself.
fn rewrite(old: &[Object], new: &[Object], dropped: &BTreeSet<String>) -> Values {
    let (mut fresh, mut routines, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for object in new {
        let before = old.iter().find(|one| one.name == object.name).filter(|_| !dropped.contains(&object.name));
        match before {
            Some(before) if before.is_like(object) => routines.extend(later_grants(before, object)),
            Some(before) if object.may_replace(before) => {
                routines.push(object.replacement());
                routines.extend(later_grants(before, object));
            }
            Some(before) if object.stands_beside(before) => {
                gone.push(before.drop.clone());
                fresh.extend(making(object));
            }
            Some(before) => {
                routines.push(before.drop.clone());
                routines.extend(making(object));
            }
            // A view may need the tables as they are to be.
            None if object.shape == Shape::View => routines.extend(making(object)),
            None => fresh.extend(making(object)),
        }
    }
    let kept = |one: &&Object| !new.iter().any(|other| other.name == one.name) && !dropped.contains(&one.name);
    // A view goes before what it calls, as it was made after it.
    gone.extend(old.iter().rev().filter(kept).map(|one| one.drop.clone()));
    let text = |statements: Vec<String>| statements.iter().map(|one| format!("{one};\n")).collect::<String>();
    Values::from(
        [("new_routines", fresh), ("routines", routines), ("gone", gone)]
            .map(|(name, all)| (name.to_owned(), text(all))),
    )
}

/// A new object is open to everybody until that is taken back.
fn making(object: &Object) -> Vec<String> {
    let mut statements = vec![object.create.clone(), object.closure()];
    statements.extend(object.grants.iter().cloned());
    statements
}

/// What was granted before stays, save where the template takes it back.
fn later_grants(before: &Object, object: &Object) -> Vec<String> {
    object.grants.iter().filter(|grant| !before.grants.contains(grant)).cloned().collect()
}

/// The template has to name what differs, in this direction.
fn demand_place(to: &Version, name: &str, way: &str, text: &str) -> Result<(), Fault> {
    let mut upward = None;
    let place = format!("{{{name}}}");
    for line in to.upgrade.lines() {
        match line.strip_prefix("--:").map(str::trim_start) {
            Some(head) => upward = Some(head.starts_with("up")),
            None if upward == Some(way == "up") && line.contains(&place) => return Ok(()),
            None => {}
        }
    }
    let first = text.lines().find(|line| !line.starts_with("--")).unwrap_or_default();
    let message = format!("the upgrade to ledger {} has no {place} on its way {way}, for `{first}`", to.number);
    Err(Fault::new(message).with_help("please report this"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "--: up
CREATE FUNCTION ledger_schema.same() RETURNS text
LANGUAGE sql AS $$ SELECT 'a' $$;
-- Says so.
CREATE FUNCTION ledger_schema.body(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$;
CREATE FUNCTION ledger_schema.answer(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$;
CREATE FUNCTION ledger_schema.takes(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$;
CREATE FUNCTION ledger_schema.past() RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$;
CREATE VIEW ledger_schema.seen AS SELECT 1 AS a;
CREATE VIEW ledger_schema.narrow AS SELECT 1 AS a, 2 AS b;
--: up roles=create,existing
GRANT EXECUTE ON FUNCTION ledger_schema.answer(text) TO ledger_schema_app;
GRANT SELECT ON ledger_schema.narrow TO ledger_schema_app;
--: down
DROP VIEW ledger_schema.narrow;
DROP VIEW ledger_schema.seen;
DROP FUNCTION ledger_schema.past();
DROP FUNCTION ledger_schema.takes(text);
DROP FUNCTION ledger_schema.answer(text);
DROP FUNCTION ledger_schema.body(text);
DROP FUNCTION ledger_schema.same();
";

    /// The old text with some routines and views changed.
    fn new() -> String {
        let changes = [
            ("ledger_schema.same() RETURNS text\nLANGUAGE", "ledger_schema.same() RETURNS text LANGUAGE"),
            (
                "body(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'a'",
                "body(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'b'",
            ),
            ("answer(a text) RETURNS text", "answer(a text) RETURNS integer"),
            ("takes(a text)", "takes(a text, b text)"),
            ("takes(text)", "takes(text, text)"),
            ("ledger_schema.past()", "ledger_schema.coming()"),
            ("seen AS SELECT 1 AS a", "seen AS SELECT 1 AS a, 2 AS b"),
            ("narrow AS SELECT 1 AS a, 2 AS b", "narrow AS SELECT 2 AS b"),
            ("ON FUNCTION ledger_schema.answer(text)", "ON FUNCTION ledger_schema.answer(text)"),
        ];
        changes.iter().fold(OLD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    }

    const UPGRADE: &str = "-- what it does
--: up
DROP VIEW ledger_schema.narrow;
ALTER TABLE ledger_schema.t ADD COLUMN c text;
{new_routines}
{routines}
ALTER TABLE ledger_schema.t ADD CONSTRAINT t_c CHECK (ledger_schema.takes(c, c)) NOT VALID;
{gone}
--: up step=validate
ALTER TABLE ledger_schema.t VALIDATE CONSTRAINT t_c;
--: down
DROP VIEW ledger_schema.narrow;
DROP VIEW ledger_schema.seen;
{new_routines}
{routines}
ALTER TABLE ledger_schema.t DROP COLUMN c;
{gone}
";

    fn emitted() -> Emitted {
        Emitted::bare("s")
    }

    fn between(new: String, template: &'static str) -> Result<Vec<Step>, Fault> {
        let to = Version { number: 9, text: new.leak(), upgrade: template };
        upgrade(&Version { number: 8, text: OLD, upgrade: "" }, &to, &emitted())
    }

    #[test]
    fn what_differs_is_replaced_or_made_anew_and_the_rest_is_left_alone() {
        let steps = between(new(), UPGRADE).unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["onlyonce_upgrade_9", "onlyonce_upgrade_9_validate"]);
        let up = [
            "DROP VIEW s.narrow",
            "ALTER TABLE s.t ADD COLUMN c text",
            "CREATE FUNCTION s.takes(a text, b text) RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$",
            "REVOKE ALL ON FUNCTION s.takes(text, text) FROM PUBLIC",
            "CREATE FUNCTION s.coming() RETURNS text LANGUAGE sql AS $$ SELECT 'a' $$",
            "REVOKE ALL ON FUNCTION s.coming() FROM PUBLIC",
            "-- Says so.\nCREATE OR REPLACE FUNCTION s.body(a text) RETURNS text LANGUAGE sql AS $$ SELECT 'b' $$",
            "DROP FUNCTION s.answer(text)",
            "CREATE FUNCTION s.answer(a text) RETURNS integer LANGUAGE sql AS $$ SELECT 'a' $$",
            "REVOKE ALL ON FUNCTION s.answer(text) FROM PUBLIC",
            "GRANT EXECUTE ON FUNCTION s.answer(text) TO s_app",
            "CREATE OR REPLACE VIEW s.seen AS SELECT 1 AS a, 2 AS b",
            "CREATE VIEW s.narrow AS SELECT 2 AS b",
            "REVOKE ALL ON s.narrow FROM PUBLIC",
            "GRANT SELECT ON s.narrow TO s_app",
            "ALTER TABLE s.t ADD CONSTRAINT t_c CHECK (s.takes(c, c)) NOT VALID",
            "DROP FUNCTION s.takes(text)",
            "DROP FUNCTION s.past()",
        ];
        assert_eq!(steps[0].statements.up, up);
        assert_eq!(steps[1].statements.up, ["ALTER TABLE s.t VALIDATE CONSTRAINT t_c"]);
        assert_eq!(steps[1].statements.down, Vec::<String>::new());
        let down = &steps[0].statements.down;
        assert!(down.contains(&"CREATE VIEW s.seen AS SELECT 1 AS a".to_owned()), "{down:#?}");
        assert_eq!(down.last().unwrap(), "DROP FUNCTION s.coming()");
        assert!(!down.iter().chain(&steps[0].statements.up).any(|statement| statement.contains("s.same")));
    }

    #[test]
    fn a_template_that_leaves_out_what_differs_is_broken() {
        let message = |template| between(new(), template).unwrap_err().message;
        assert!(
            message("--: up\n{new_routines}{routines}\n--: down\nA;")
                .contains("no {gone} on its way up, for `DROP FUNCTION")
        );
        assert!(
            message("--: up\n{new_routines}{routines}{gone}\n--: down\n{gone}")
                .contains("no {new_routines} on its way down")
        );
        assert!(between(OLD.to_owned(), "--: up\nA;\n").is_ok(), "nothing differs");
    }
}
