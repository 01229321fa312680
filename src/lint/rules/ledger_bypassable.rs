//! Somebody can change the ledger's rows without the ledger.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Context, found};
use crate::diagnostic::{Finding, Level, Verdict};
use crate::lint::guard::{Guard, guard};
use crate::lint::unique::names;
use crate::rule::{Domain, Rule};
use crate::schema::literal::{self, qualified};
use crate::schema::{Grant, Name, Origin, Role, Routine, Signature};
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
    findings.extend(makers(context));
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
    let mut findings = through_views(context, &app);
    let finding = |((role, object, _), (at, privileges)): ((String, &Name, usize), (&Origin, Vec<&str>))| {
        let privileges = privileges.join(", ").to_uppercase();
        let role = shown(&role);
        let message = format!("{role} has {privileges} on {object}");
        let label = "rows can be changed without the ledger's rules".to_owned();
        let help = format!("REVOKE {privileges} ON {} FROM {};", qualified(object), role_name(role));
        found(&RULE, super::verdict(at.certain), at, message, label).with_help(help)
    };
    findings.extend(by_place.into_iter().map(finding));
    findings
}

/// A view that is written to writes its table, with the rights of who owns the view.
fn through_views(context: &Context<'_>, app: &BTreeSet<&str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (grant, at) in context.schema.grants.iter().filter(|(grant, _)| grant.kind == ObjectKind::Table) {
        let Some(view) = context.schema.views.get(&grant.object).filter(|_| !context.ledger.holds(&grant.object))
        else {
            continue;
        };
        let shows = |table: &&Name| !view.definition.materialized && names(&view.definition.query, &table.name);
        let mut tables = context.ledger.tables().map(|keyed| &keyed.table).filter(shows);
        let through = tables.find(|table| too_much(context, app, &Grant { object: (*table).clone(), ..grant.clone() }));
        if let Some(table) = through {
            let (role, privilege, object) = (shown(&grant.role), grant.privilege.to_uppercase(), &grant.object);
            let message = format!("{role} has {privilege} on {object}, a view of {table}");
            let label = "rows can be changed through the view, with its owner's rights".to_owned();
            let help = format!("REVOKE {privilege} ON {} FROM {};", qualified(object), role_name(role));
            findings.push(found(&RULE, Verdict::Unproven, at, message, label).with_help(help));
        }
    }
    findings
}

/// Who may make things in our schema can put a routine or a table of its own beside the ledger's.
fn makers(context: &Context<'_>) -> Vec<Finding> {
    let Some(schema) = &context.ledger.ours else { return Vec::new() };
    let roles = acting(context);
    let is_meant = |(grant, _): &(&Grant, &Origin)| {
        grant.kind == ObjectKind::Schema
            && (grant.object.name == *schema && grant.privilege == "create")
            && (grant.role == "public" || roles.contains(&grant.role))
    };
    let finding = |(grant, at): (&Grant, &Origin)| {
        let role = shown(&grant.role);
        let message = format!("{role} may make objects in {schema}");
        let label = "a routine of its own can stand beside the ledger's".to_owned();
        let help = format!("REVOKE CREATE ON SCHEMA {} FROM {};", literal::name(schema), role_name(role));
        found(&RULE, super::verdict(at.certain), at, message, label).with_help(help)
    };
    context.schema.grants.iter().filter(is_meant).map(finding).collect()
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

/// The application's role, and every role that is a member of it: workers log in as one.
fn workers(context: &Context<'_>) -> BTreeSet<String> {
    let mut roles: BTreeSet<String> = context.ledger.app_role.iter().cloned().collect();
    loop {
        let is_new = |(name, role): &(&String, &Role)| !roles.contains(*name) && !role.member_of.is_disjoint(&roles);
        let more: Vec<String> = context.schema.roles.iter().filter(is_new).map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            return roles;
        }
        roles.extend(more);
    }
}

/// Every role that this one acts as: itself, and what it is a member of.
fn acts_as(context: &Context<'_>, role: &str) -> BTreeSet<String> {
    let mut roles = BTreeSet::new();
    let mut open = vec![role.to_owned()];
    while let Some(role) = open.pop() {
        if roles.insert(role.clone()) {
            open.extend(context.schema.roles.get(&role).into_iter().flat_map(|one| one.member_of.iter().cloned()));
        }
    }
    roles
}

/// Every role that a worker acts as.
fn acting(context: &Context<'_>) -> BTreeSet<String> {
    let mut roles: BTreeSet<String> = workers(context).iter().flat_map(|role| acts_as(context, role)).collect();
    if let Some(schema) = &context.ledger.ours {
        // That one acts as our owner is said once, of the role.
        roles.remove(&format!("{schema}_owner"));
    }
    roles
}

/// Who owns a table can switch its triggers off, and who owns a routine can give it another body.
fn owners(context: &Context<'_>) -> Vec<Finding> {
    let app = acting(context);
    let of_app = |owner: &Option<String>| owner.clone().filter(|owner| app.contains(owner));
    let tables =
        context.schema.tables.iter().filter(|(name, _)| context.ledger.holds(name)).filter_map(|(name, one)| {
            let label = "an owner can switch triggers off and change any row";
            let place = format!("TABLE {}", qualified(name));
            Some((of_app(&one.owner)?, name.to_string(), place, one.made.clone(), label))
        });
    let ours = |signature: &Signature| context.ledger.ours.as_ref() == Some(&signature.name.schema);
    let routines = context.schema.routines.iter().filter(|(signature, _)| ours(signature));
    let routines = routines.filter_map(|(signature, one)| {
        let place = format!("ROUTINE {}", literal::routine(signature));
        Some((of_app(&one.owner)?, signature.to_string(), place, one.made.head(), "an owner can give it another body"))
    });
    let finding = |(owner, name, place, at, label): (String, String, String, Origin, &str)| {
        let message = format!("{owner}, which the application acts as, owns {name}");
        let help = format!("ALTER {place} OWNER TO a role that nobody logs in as, and grant {owner} what it needs;");
        let mut finding = found(&RULE, Verdict::Broken, &at, message, label.to_owned()).with_help(help);
        finding.level = context.level(finding.level);
        finding
    };
    tables.chain(routines).map(finding).collect()
}

/// The application's role, or a worker's, as owner, superuser, or member of the owner.
fn roles(context: &Context<'_>) -> Vec<Finding> {
    let Some(app) = &context.ledger.app_role else { return Vec::new() };
    let mut findings = Vec::new();
    let through_app = acts_as(context, app);
    for name in workers(context) {
        let Some(role) = context.schema.roles.get(&name) else { continue };
        let mut say = |what: String| {
            let label = "it can switch triggers off and change any row".to_owned();
            let help = if name == *app {
                "give the application a role of its own without this".to_owned()
            } else {
                format!("{name} is a member of {app}, as workers are: give it a role of its own without this")
            };
            findings.push(found(&RULE, Verdict::Broken, &role.made, what, label).with_help(help));
        };
        if role.options.contains("superuser") {
            say(format!("{name} is a superuser"));
        }
        let passes = |option: &String| option.starts_with("session_replication_role=") && !option.ends_with("=origin");
        if role.options.iter().any(passes) {
            say(format!("{name} runs with session_replication_role set, which passes by triggers"));
        }
        let own = acts_as(context, &name);
        // Roles that servers, and those who host them, bring along.
        const ABOVE: [&str; 5] =
            ["alloydbsuperuser", "azure_pg_admin", "cloudsqlsuperuser", "postgres", "rds_superuser"];
        let is_above = |one: &&String| {
            let options = context.schema.roles.get(*one).map(|role| &role.options);
            ABOVE.contains(&one.as_str()) || options.is_some_and(|options| options.contains("superuser"))
        };
        let mut above = own.iter().filter(|one| **one != name && (name == *app || !through_app.contains(*one)));
        if let Some(over) = above.find(is_above) {
            say(format!("{name} is a member of {over}, a superuser"));
        }
        // A team's own tables are guarded against more than inserts and updates, where they are.
        let writes = |table: &Name| {
            ["delete", "insert", "update"].map(|privilege| Grant {
                kind: ObjectKind::Table,
                object: table.clone(),
                arguments: Vec::new(),
                role: name.clone(),
                privilege: privilege.to_owned(),
            })
        };
        let itself = BTreeSet::from([name.as_str()]);
        let mut all = context.ledger.tables().flat_map(|keyed| writes(&keyed.table));
        let everything = "pg_write_all_data".to_owned();
        let is_new = name == *app || !through_app.contains(&everything);
        if own.contains(&everything) && is_new && all.any(|grant| too_much(context, &itself, &grant)) {
            say(format!("{name} is a member of pg_write_all_data, and may write every table"));
        }
        let Some(schema) = &context.ledger.ours else { continue };
        for over in [format!("{schema}_owner"), format!("{schema}_operator")] {
            // What the application's role acts as, its members do too: that is said once.
            if own.contains(&over) && (name == *app || !through_app.contains(&over)) {
                say(format!("{name} is a member of {over}"));
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
    let (call, quoted) = (signature.to_string(), literal::routine(signature));
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
