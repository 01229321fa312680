//! Something later or beside the ledger drops, loosens or passes by a guarantee.

mod expected;
pub(in crate::lint) mod guards;
pub(in crate::lint) mod parts;
mod settings;
mod writes;

use super::{Context, found, verdict};
use crate::diagnostic::{Finding, Label, Level, Verdict};
use crate::lint::Keyed;
use crate::rule::{Domain, Rule};
use crate::schema::literal::{name as quoted, qualified};
use crate::schema::{Demand, Loss, Lost, Name, Signature, Table, Trigger};
use crate::sql::ddl::Enabled;
use crate::sql::{TokenKind, tokens};

pub(in crate::lint) static RULE: Rule = Rule {
    name: "ledger-weakened",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/ledger-weakened.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for keyed in context.ledger.tables() {
        if let Some(table) = context.table(keyed) {
            findings.extend(beside(keyed, table));
            findings.extend(triggers(context, keyed, table));
            findings.extend(parents(keyed, table));
            findings.extend(children(context, &keyed.table));
            findings.extend(partitions(context, &keyed.table));
        }
    }
    findings.extend(context.subject.edited.iter().map(edited));
    findings.extend(guards::run(context));
    findings.extend(parts::run(context));
    findings.extend(settings::run(context));
    findings.extend(writes::run(context));
    findings.extend(expected::run(context));
    findings
}

/// What the edit loses of the schema has a finding of its own; what it does to rows nobody can tell.
fn edited(place: &Label) -> Finding {
    let message = format!("the emitted migration {} was edited", place.source.name());
    let help = "restore it, and put your own changes in a migration of their own: databases may have applied this one";
    let finding = Finding::new(RULE.name, Level::Warning, message.clone(), place.clone());
    finding.with_verdict(Verdict::Unproven).with_subject(message).with_help(help)
}

/// Rewrite rules and row-level security.
fn beside(keyed: &Keyed, table: &Table) -> Vec<Finding> {
    let name = &keyed.table;
    let mut findings = Vec::new();
    for (rule, one) in
        table.rules.iter().filter(|(_, one)| one.enabled != Enabled::Never && one.definition.event != "select")
    {
        let event = one.definition.event.to_uppercase();
        let message = format!("rule {rule} rewrites {event} on {name}");
        let label = "a reservation may be answered without a row being written".to_owned();
        findings.push(found(&RULE, verdict(one.made.certain), &one.made, message, label).with_help(format!(
            "DROP RULE {} ON {};",
            quoted(rule),
            qualified(name)
        )));
    }
    if let Some(at) = &table.row_security {
        let message = format!("row-level security is on for {name}");
        let label = "a row that is hidden looks like one that was never reserved".to_owned();
        findings.push(
            found(&RULE, verdict(at.certain), at, message, label)
                .with_help(format!("ALTER TABLE {} DISABLE ROW LEVEL SECURITY;", qualified(name))),
        );
    }
    findings
}

/// Triggers that change the key or the status of a row that is on its way, or drop the row without an error.
fn triggers(context: &Context<'_>, keyed: &Keyed, table: &Table) -> Vec<Finding> {
    let fires = |one: &&Trigger| matches!(one.enabled, Enabled::Origin | Enabled::Always);
    let before = |one: &&Trigger| one.definition.timing == "before" && one.definition.each_row;
    table
        .triggers
        .iter()
        .filter(|(_, one)| fires(one) && before(one))
        .flat_map(|(name, one)| {
            [changes(context, keyed, name, one), swallows(context, keyed, name, one)].into_iter().flatten()
        })
        .collect()
}

fn changes(context: &Context<'_>, keyed: &Keyed, name: &str, trigger: &Trigger) -> Option<Finding> {
    let signature = Signature { name: trigger.function.clone(), arguments: Vec::new() };
    let routine = context.schema.routines.get(&signature)?;
    let body = &routine.definition.body;
    let is_actions = keyed.table == context.ledger.actions.table;
    let status = is_actions.then_some(&context.ledger.status);
    let column = keyed.key.iter().chain(status).find(|column| assigns(body, column))?;
    let message = format!("trigger {name} changes {column} of rows that are written to {}", keyed.table);
    let label = format!("{} sets NEW.{column}", trigger.function);
    let finding = found(&RULE, verdict(trigger.made.certain), &trigger.made, message, label);
    let help = format!("take the assignment to NEW.{column} out of {}", trigger.function);
    Some(finding.with_related(routine.made.label("the function")).with_help(help))
}

/// `NEW.column :=`, the same with `=` where a statement begins, and `INTO NEW.column`.
fn assigns(body: &str, column: &str) -> bool {
    let words = tokens(body);
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        before.is_some_and(|before| {
            before.is_symbol(body, ";")
                || ["begin", "else", "loop", "then"].iter().any(|word| before.is_word(body, word))
        })
    };
    let follows_into = |at: usize| {
        // Of several targets this may be any: what stands between is names, dots and commas.
        let mut back = words.get(..at).unwrap_or_default().iter().rev();
        let ends = |token: &&crate::sql::Token| match token.kind {
            TokenKind::Symbol => ![".", ","].iter().any(|mark| token.is_symbol(body, mark)),
            TokenKind::Word => ["and", "from", "into", "or", "where"].iter().any(|word| token.is_word(body, word)),
            TokenKind::Quoted | TokenKind::Comment => false,
            TokenKind::Text | TokenKind::Dollar | TokenKind::Number => true,
        };
        back.find(ends).is_some_and(|token| token.is_word(body, "into"))
    };
    words.windows(3).enumerate().any(|(at, part)| match part {
        [row, dot, name] => {
            let is_it =
                row.is_word(body, "new") && dot.is_symbol(body, ".") && name.name(body).as_deref() == Some(column);
            let next = words.get(at + 3);
            let is = |mark: &str| next.is_some_and(|next| next.is_symbol(body, mark));
            let ends = next.is_none() || is(",") || is(";") || next.is_some_and(|next| next.is_word(body, "from"));
            is_it && (is(":=") || (is("=") && begins(at)) || (ends && follows_into(at)))
        }
        _ => false,
    })
}

/// Triggers of a team's own that may drop a row on its way without an error: an insert is answered, and no row stands.
fn swallows(context: &Context<'_>, keyed: &Keyed, name: &str, trigger: &Trigger) -> Option<Finding> {
    let inserts = trigger.definition.events.contains("insert") && context.ledger.ours.is_none();
    let signature = Signature { name: trigger.function.clone(), arguments: Vec::new() };
    let routine = context.schema.routines.get(&signature).filter(|_| inserts)?;
    let body = &routine.definition.body;
    let words = tokens(body);
    let gives_null = words.windows(2).any(|pair| match pair {
        [give, null] => give.is_word(body, "return") && null.is_word(body, "null"),
        _ => false,
    });
    // One function for several events asks which it is.
    let asks = words.iter().any(|word| word.is_word(body, "tg_op"));
    let message = format!("trigger {name} may drop rows on their way to {} without an error", keyed.table);
    let label = format!("{} gives NULL back for some", trigger.function);
    let help = format!("raise an error in {} instead of RETURN NULL", trigger.function);
    (gives_null && !asks).then(|| found(&RULE, Verdict::Unproven, &trigger.made, message, label).with_help(help))
}

/// Foreign keys by which another table's rows take the ledger's rows along.
fn parents(keyed: &Keyed, table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (constraint, one) in &table.constraints {
        let Demand::Foreign { columns, table: parent, on_delete, on_update, .. } = &one.demand else { continue };
        let of_key = columns.iter().any(|column| keyed.key.contains(column));
        let told = match (on_delete.as_str(), on_update.as_str()) {
            ("cascade", _) => format!("rows of {} are deleted with rows of {parent}", keyed.table),
            ("set null" | "set default", _) | (_, "cascade" | "set null" | "set default") if of_key => {
                format!("keys of {} change with rows of {parent}", keyed.table)
            }
            _ => continue,
        };
        let help = format!(
            "ALTER TABLE {} DROP CONSTRAINT {}; and add it again with ON DELETE RESTRICT",
            keyed.place(),
            quoted(constraint)
        );
        let label = "what is deleted here may be sent again".to_owned();
        findings.push(found(&RULE, verdict(one.made.certain), &one.made, told, label).with_help(help));
    }
    findings
}

/// A table that inherits has rows that the parent's key does not see.
fn children(context: &Context<'_>, name: &Name) -> Vec<Finding> {
    let all = context.schema.tables.iter().filter_map(|(child, table)| table.inherits.get(name).map(|at| (child, at)));
    let finding = |(child, at): (&Name, &crate::schema::Origin)| {
        let message = format!("{child} inherits from {name}");
        let label = "a unique key does not reach into a child".to_owned();
        found(&RULE, verdict(at.certain), at, message, label).with_help(format!(
            "ALTER TABLE {} NO INHERIT {};",
            qualified(child),
            qualified(name)
        ))
    };
    all.map(finding).collect()
}

/// A partition that is detached or dropped takes its keys along.
fn partitions(context: &Context<'_>, name: &Name) -> Vec<Finding> {
    let gone = context.replayed.losses.iter().filter_map(|loss| match &loss.lost {
        Lost::Partition(partition) if loss.table == *name => Some((loss, partition)),
        _ => None,
    });
    let is_back = |partition: &Name| {
        context.schema.tables.get(partition).is_some_and(|table| table.partition_of.as_ref() == Some(name))
    };
    let finding = |(loss, partition): (&Loss, &Name)| {
        let message = format!("{partition} is no partition of {name} any more");
        let label = "every key in it is forgotten, and may be sent again".to_owned();
        found(&RULE, verdict(loss.at.certain), &loss.at, message, label)
            .with_related(loss.made.label("it was made here"))
            .with_help(format!("leave it, or attach it again: {}", attached(name, partition)))
    };
    gone.filter(|(_, partition)| !is_back(partition)).map(finding).collect()
}

/// The statement that makes a table a partition again, up to its bounds.
fn attached(whole: &Name, partition: &Name) -> String {
    format!("ALTER TABLE {} ATTACH PARTITION {} ..;", qualified(whole), qualified(partition))
}

/// Doubt or less, for what a team's own ledger is asked for as advice.
fn advice(context: &Context<'_>, mut finding: Finding) -> Finding {
    finding.level = context.level(finding.level);
    if finding.verdict == Some(Verdict::Unproven) {
        finding.level = finding.level.min(Level::Warning);
    }
    finding
}
