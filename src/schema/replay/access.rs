//! Roles and privileges.

use std::collections::BTreeSet;

use super::{DefaultGrant, Player};
use crate::schema::{Grant, Name, Origin, Role, Routine, Signature};
use crate::sql::ddl::{ObjectKind, Privileges};

impl Player {
    pub(super) fn set_role(&mut self, name: &str, options: &BTreeSet<String>, at: Origin) {
        let role = self.role_entry(name, &at);
        role.options.extend(options.iter().cloned());
    }

    fn role_entry(&mut self, name: &str, at: &Origin) -> &mut Role {
        self.out.schema.roles.entry(name.to_owned()).or_insert_with(|| Role {
            made: at.clone(),
            options: BTreeSet::new(),
            member_of: BTreeSet::new(),
        })
    }

    pub(super) fn drop_role(&mut self, name: &str) {
        self.out.schema.roles.remove(name);
    }

    pub(super) fn membership(&mut self, give: bool, roles: &[String], to: &[String], at: &Origin) {
        for member in to {
            let entry = self.role_entry(member, at);
            for role in roles {
                if give {
                    entry.member_of.insert(role.clone());
                } else {
                    entry.member_of.remove(role);
                }
            }
        }
    }

    pub(super) fn grant(&mut self, give: bool, grant: &Privileges, at: &Origin) {
        for (object, arguments) in self.objects(grant) {
            for role in &grant.roles {
                for privilege in spelled_out(grant.kind, &grant.privileges) {
                    let key = Grant {
                        kind: grant.kind,
                        object: object.clone(),
                        arguments: arguments.clone(),
                        role: role.clone(),
                        privilege,
                    };
                    if give {
                        self.out.schema.grants.entry(key).or_insert_with(|| at.clone());
                    } else {
                        self.out.schema.grants.remove(&key);
                    }
                }
            }
        }
    }

    /// Takes the privileges on an object out of the schema.
    pub(super) fn take_grants(&mut self, kind: ObjectKind, object: &Name) -> Vec<(Grant, Origin)> {
        let first = |object: &Name| Grant {
            kind,
            object: object.clone(),
            arguments: Vec::new(),
            role: String::new(),
            privilege: String::new(),
        };
        // No name sorts between one and the same with a byte of nothing behind it.
        let behind = Name::new(&object.schema, format!("{}\0", object.name));
        self.out.schema.grants.extract_if(first(object)..first(&behind), |_, _| true).collect()
    }

    pub(super) fn take_routine_grants(&mut self, signature: &Signature) -> Vec<(Grant, Origin)> {
        let all = self.take_grants(ObjectKind::Routine, &signature.name).into_iter();
        let (its, others) = all.partition(|(grant, _)| grant.arguments == signature.arguments);
        self.out.schema.grants.extend::<Vec<_>>(others);
        its
    }

    fn objects(&self, grant: &Privileges) -> Vec<(Name, Vec<String>)> {
        if grant.all_in_schema {
            let schemas: BTreeSet<&String> = grant.objects.iter().map(|one| &one.name.name).collect();
            return schemas.into_iter().flat_map(|schema| self.all_in(grant, schema)).collect();
        }
        let one = |called: &crate::sql::ddl::Called| match grant.kind {
            ObjectKind::Routine => self.called(called).map(|signature| (signature.name, signature.arguments)),
            ObjectKind::Schema => Some((Name::new(&called.name.name, &called.name.name), Vec::new())),
            ObjectKind::Table | ObjectKind::Sequence | ObjectKind::Type | ObjectKind::Other => {
                Some((self.find(&called.name), Vec::new()))
            }
        };
        grant.objects.iter().filter_map(one).collect()
    }

    fn all_in(&self, grant: &Privileges, schema: &str) -> Vec<(Name, Vec<String>)> {
        match grant.kind {
            ObjectKind::Table => {
                let views = self.out.schema.views.keys().filter(|name| name.schema == schema).cloned();
                self.tables_in(schema).into_iter().chain(views).map(|name| (name, Vec::new())).collect()
            }
            ObjectKind::Routine => {
                let meant =
                    |one: &&Routine| grant.only_procedures.is_none_or(|only| only == one.definition.is_procedure);
                let all = self
                    .out
                    .schema
                    .routines
                    .iter()
                    .filter(|(one, routine)| one.name.schema == schema && meant(routine));
                all.map(|(one, _)| (one.name.clone(), one.arguments.clone())).collect()
            }
            ObjectKind::Sequence | ObjectKind::Schema | ObjectKind::Type | ObjectKind::Other => Vec::new(),
        }
    }

    pub(super) fn default_privileges(&mut self, give: bool, schemas: &[String], grant: &Privileges) {
        let schemas: Vec<Option<String>> =
            if schemas.is_empty() { vec![None] } else { schemas.iter().cloned().map(Some).collect() };
        for schema in schemas {
            for role in &grant.roles {
                self.defaults.push(DefaultGrant {
                    schema: schema.clone(),
                    kind: grant.kind,
                    role: role.clone(),
                    privileges: spelled_out(grant.kind, &grant.privileges),
                    give,
                });
            }
        }
    }

    /// What a new object gives without being asked: PUBLIC may run routines, and ALTER DEFAULT PRIVILEGES adds to that. What
    /// everybody has by default is taken away only by a default for every schema.
    pub(super) fn give_defaults(&mut self, kind: ObjectKind, object: &Name, arguments: &[String], at: &Origin) {
        let mut given: BTreeSet<(String, String)> = BTreeSet::new();
        if kind == ObjectKind::Routine {
            given.insert(("public".to_owned(), "execute".to_owned()));
        }
        let global = self.defaults.iter().filter(|one| one.schema.is_none());
        let local = self.defaults.iter().filter(|one| one.schema.as_ref() == Some(&object.schema));
        let mut added: BTreeSet<(String, String)> = BTreeSet::new();
        for (set, one) in global.map(|one| (true, one)).chain(local.map(|one| (false, one))) {
            let target = if set { &mut given } else { &mut added };
            for privilege in one.privileges.iter().filter(|_| one.kind == kind) {
                let pair = (one.role.clone(), privilege.clone());
                if one.give {
                    target.insert(pair);
                } else {
                    target.remove(&pair);
                }
            }
        }
        given.append(&mut added);
        for (role, privilege) in given {
            let grant = Grant { kind, object: object.clone(), arguments: arguments.to_vec(), role, privilege };
            self.out.schema.grants.insert(grant, at.clone());
        }
    }

    /// What nobody was named for belongs to whoever runs the migrations: to a role that they do not make.
    pub(super) fn reassign(&mut self, from: &[String], to: &str) {
        let outside = from.iter().any(|role| !self.out.schema.roles.contains_key(role));
        let meant = |owner: &Option<String>| owner.as_ref().map_or(outside, |owner| from.contains(owner));
        let schema = &mut self.out.schema;
        let tables = schema.tables.values_mut().map(|one| &mut one.owner);
        let routines = schema.routines.values_mut().map(|one| &mut one.owner);
        let views = schema.views.values_mut().map(|one| &mut one.owner);
        for owner in tables.chain(routines).chain(views).filter(|owner| meant(owner)) {
            *owner = Some(to.to_owned());
        }
    }

    /// DROP OWNED BY takes the objects of a role and the privileges that it was given.
    pub(super) fn drop_owned(&mut self, roles: &[String], at: &Origin) {
        let owned = |owner: &Option<String>| owner.as_ref().is_some_and(|owner| roles.contains(owner));
        let tables: Vec<Name> = self
            .out
            .schema
            .tables
            .iter()
            .filter(|(_, table)| owned(&table.owner))
            .map(|(name, _)| name.clone())
            .collect();
        for name in tables {
            self.remove_table(&name, at);
        }
        self.out.schema.routines.retain(|_, routine| !owned(&routine.owner));
        self.out.schema.views.retain(|_, view| !owned(&view.owner));
        self.out.schema.grants.retain(|grant, _| !roles.contains(&grant.role));
    }
}

/// ALL, as the privileges that it stands for.
fn spelled_out(kind: ObjectKind, privileges: &BTreeSet<String>) -> Vec<String> {
    if !privileges.contains("all") {
        return privileges.iter().cloned().collect();
    }
    let all: &[&str] = match kind {
        ObjectKind::Table => &["delete", "insert", "maintain", "references", "select", "trigger", "truncate", "update"],
        ObjectKind::Sequence => &["select", "update", "usage"],
        ObjectKind::Routine => &["execute"],
        ObjectKind::Schema => &["create", "usage"],
        ObjectKind::Type => &["usage"],
        ObjectKind::Other => &["all"],
    };
    all.iter().map(|one| (*one).to_owned()).collect()
}
