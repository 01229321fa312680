//! Somebody can change the ledger's rows without the ledger.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::guard::{Guard, guard};
use crate::lint::unique::names;
use crate::rule::{Domain, Rule};
use crate::schema::literal::{self, qualified};
use crate::schema::{Grant, Name, Origin, Routine, Signature};
use crate::sql::ddl::ObjectKind;

pub(super) static RULE: Rule = Rule {
    name: "ledger-bypassable",
    level: Level::Error,
    domain: Domain::Sql,
    page: include_str!("../../../lints/rules/ledger-bypassable.md"),
};

pub(super) fn run(context: &Context<'_>) -> Vec<Finding> {
    if !context.schema.tables.keys().any(|name| context.ledger.holds(name)) {
        return Vec::new();
    }
    let mut findings = rights(context);
    findings.extend(owners(context));
    findings.extend(roles(context));
    findings.extend(context.schema.routines.iter().flat_map(|(signature, one)| routine(context, signature, one)));
    findings
}

/// Rights on the ledger's tables, and on views of ours, that pass by the routines and the guards.
fn rights(context: &Context<'_>) -> Vec<Finding> {
    let mut by_place: BTreeMap<(String, &Name, usize), (&Origin, Vec<&str>)> = BTreeMap::new();
    let roles = acting(context);
    let app: BTreeSet<&str> = roles.iter().map(String::as_str).collect();
    for (grant, at) in &context.schema.grants {
        if grant.kind == ObjectKind::Table && context.ledger.holds(&grant.object) && too_much(context, &app, grant) {
            let key = (grant.role.clone(), &grant.object, at.span.start);
            by_place.entry(key).or_insert_with(|| (at, Vec::new())).1.push(&grant.privilege);
        }
    }
    let finding = |((role, object, _), (at, privileges)): ((String, &Name, usize), (&Origin, Vec<&str>))| {
        let privileges = privileges.join(", ").to_uppercase();
        let role = shown(&role);
        let message = format!("{role} has {privileges} on {object}");
        let label = "rows can be changed without the ledger's rules".to_owned();
        let help = format!("REVOKE {privileges} ON {} FROM {};", qualified(object), role_name(role));
        found(&RULE, super::verdict(at.certain), at, message, label).with_help(help)
    };
    by_place.into_iter().map(finding).collect()
}

/// A role as a statement names it.
fn role_name(role: &str) -> Cow<'_, str> {
    if role == "PUBLIC" { Cow::Borrowed(role) } else { literal::name(role) }
}

fn shown(role: &str) -> &str {
    if role == "public" { "PUBLIC" } else { role }
}

/// PUBLIC may write nowhere. The application may write to nothing of ours directly; of a team's own tables it may insert
/// and update, which triggers guard, and delete or truncate only where a trigger guards that too.
fn too_much(context: &Context<'_>, app: &BTreeSet<&str>, grant: &Grant) -> bool {
    let writes = matches!(grant.privilege.as_str(), "insert" | "update" | "delete" | "truncate" | "trigger");
    if !writes || grant.role == "public" {
        return writes;
    }
    if !app.contains(grant.role.as_str()) {
        return false;
    }
    match grant.privilege.as_str() {
        _ if context.ledger.ours.is_some() => true,
        "delete" | "truncate" => context.schema.tables.get(&grant.object).is_some_and(|table| {
            !matches!(guard(context.replayed, table, &grant.privilege, None), Guard::Stands { .. })
        }),
        privilege => privilege == "trigger",
    }
}

/// The application's role and every role that it is a member of.
fn acting(context: &Context<'_>) -> BTreeSet<String> {
    let mut roles = BTreeSet::new();
    let mut open: Vec<String> = context.ledger.app_role.iter().cloned().collect();
    while let Some(role) = open.pop() {
        if roles.insert(role.clone()) {
            open.extend(context.schema.roles.get(&role).into_iter().flat_map(|one| one.member_of.iter().cloned()));
        }
    }
    roles
}

/// Who owns a table can switch its triggers off.
fn owners(context: &Context<'_>) -> Vec<Finding> {
    let mut app = acting(context);
    if let Some(schema) = &context.ledger.ours {
        // That it acts as our owner is said once, of the role.
        app.remove(&format!("{schema}_owner"));
    }
    let owned = context.schema.tables.iter().filter(|(name, table)| {
        context.ledger.holds(name) && table.owner.as_ref().is_some_and(|owner| app.contains(owner))
    });
    let finding = |(name, table): (&Name, &crate::schema::Table)| {
        let owner = table.owner.clone().unwrap_or_default();
        let message = format!("{owner}, which the application acts as, owns {name}");
        let label = "an owner can switch triggers off and change any row".to_owned();
        let place = qualified(name);
        let help =
            format!("ALTER TABLE {place} OWNER TO a role that nobody logs in as, and grant {owner} what it needs;");
        let mut finding = found(&RULE, Verdict::Broken, &table.made, message, label).with_help(help);
        finding.level = context.level(finding.level);
        finding
    };
    owned.map(finding).collect()
}

/// The application's role as owner, superuser, or member of the owner.
fn roles(context: &Context<'_>) -> Vec<Finding> {
    let Some(app) = &context.ledger.app_role else { return Vec::new() };
    let mut findings = Vec::new();
    let Some(role) = context.schema.roles.get(app) else { return findings };
    let mut say = |what: String| {
        let label = "it can switch triggers off and change any row".to_owned();
        findings.push(
            found(&RULE, Verdict::Broken, &role.made, what, label)
                .with_help("give the application a role of its own without this"),
        );
    };
    if role.options.contains("superuser") {
        say(format!("{app} is a superuser"));
    }
    if role.options.iter().any(|option| option.starts_with("session_replication_role=") && !option.ends_with("=origin"))
    {
        say(format!("{app} runs with session_replication_role set, which passes by triggers"));
    }
    if let Some(schema) = &context.ledger.ours {
        for owner in [format!("{schema}_owner"), format!("{schema}_operator")] {
            if role.member_of.contains(&owner) {
                say(format!("{app} is a member of {owner}"));
            }
        }
    }
    findings
}

/// A SECURITY DEFINER routine that touches the ledger runs with its owner's rights: names must not be the caller's choice.
fn routine(context: &Context<'_>, signature: &Signature, one: &Routine) -> Vec<Finding> {
    let definition = &one.definition;
    if !definition.definer || !touches(context, signature, &definition.body) {
        return Vec::new();
    }
    let name = &signature.name;
    let arguments = signature.arguments.join(", ");
    let (call, quoted) = (format!("{name}({arguments})"), format!("{}({arguments})", qualified(name)));
    let word = if definition.is_procedure { "PROCEDURE" } else { "FUNCTION" };
    let mut findings = Vec::new();
    let path = definition.settings.get("search_path");
    let safe = "pg_catalog, pg_temp";
    let help = format!("ALTER {word} {quoted} SET search_path = {};", path_with(path, safe));
    let label = "the caller's search path decides which table is written".to_owned();
    match path {
        None => {
            let message = format!("{call} runs with its owner's rights and its caller's search_path");
            findings.push(found(&RULE, Verdict::Broken, &one.made.head(), message, label).with_help(help));
        }
        Some(path) if path.last().map(String::as_str) != Some("pg_temp") && unqualified(context, &definition.body) => {
            let message = format!("the search_path of {call} does not end with pg_temp");
            let label = "a caller's temporary table of the same name is found first".to_owned();
            findings.push(found(&RULE, Verdict::Broken, &one.made.head(), message, label).with_help(help));
        }
        Some(_) => {}
    }
    if public_may_run(context, signature) && definition.returns != "trigger" {
        let message = format!("PUBLIC may run {call}, which changes the ledger with its owner's rights");
        let help = format!("REVOKE ALL ON {word} {quoted} FROM PUBLIC;");
        let mut finding = found(&RULE, Verdict::Broken, &one.made.head(), message, "every role may run it".to_owned())
            .with_help(help);
        finding.level = context.level(finding.level);
        findings.push(finding);
    }
    findings
}

fn path_with(path: Option<&Vec<String>>, otherwise: &str) -> String {
    let Some(path) = path else { return otherwise.to_owned() };
    let kept = path.iter().filter(|part| *part != "pg_temp" && !part.is_empty());
    let mut parts: Vec<Cow<'_, str>> = kept.map(|part| literal::name(part)).collect();
    parts.push("pg_temp".into());
    parts.join(", ")
}

fn touches(context: &Context<'_>, signature: &Signature, body: &str) -> bool {
    let own = context.ledger.ours.as_ref() == Some(&signature.name.schema);
    own || context.ledger.tables().any(|keyed| names(body, &keyed.table.name))
}

/// Whether a body names a table of the ledger without its schema.
fn unqualified(context: &Context<'_>, body: &str) -> bool {
    let words = crate::sql::tokens(body);
    words.iter().enumerate().any(|(index, word)| {
        let named = word.name(body).is_some_and(|name| context.ledger.tables().any(|keyed| keyed.table.name == name));
        let after_dot = index.checked_sub(1).and_then(|dot| words.get(dot)).is_some_and(|dot| dot.is_symbol(body, "."));
        named && !after_dot
    })
}

fn public_may_run(context: &Context<'_>, signature: &Signature) -> bool {
    let grant = Grant {
        kind: ObjectKind::Routine,
        object: signature.name.clone(),
        arguments: signature.arguments.clone(),
        role: "public".to_owned(),
        privilege: "execute".to_owned(),
    };
    context.schema.grants.contains_key(&grant)
}
