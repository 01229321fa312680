//! Types and domains, and the columns and routines that are of them.

use super::Player;
use crate::schema::typed::{named, written};
use crate::schema::{Name, Origin, Signature, Type};
use crate::sql::ddl::{NewType, Written};

impl Player {
    pub(super) fn create_type(&mut self, written: &Written, new: &NewType, at: Origin) {
        let name = self.new_name(written);
        self.out.schema.types.entry(name).or_insert(Type { made: at, definition: new.clone() });
    }

    fn find_type(&self, written: &Written) -> Name {
        self.find_where(written, |name| self.out.schema.types.contains_key(name))
    }

    /// A type's name as a column has it, whatever schema it was found in.
    pub(super) fn resolved(&self, type_name: &str) -> String {
        let Some((name, array)) = named(type_name) else { return type_name.to_owned() };
        let types = &self.out.schema.types;
        let bare = name.schema == "public" && !type_name.contains('.');
        let on_path =
            || self.path.iter().map(|schema| Name::new(schema, &name.name)).find(|one| types.contains_key(one));
        written(&bare.then(on_path).flatten().unwrap_or_else(|| name.clone()), array)
    }

    /// The collation of a type's own, where it is a domain that has one.
    pub(super) fn collation_of(&self, type_name: &str) -> Option<String> {
        let (name, _) = named(type_name).filter(|(_, array)| array.is_empty())?;
        match &self.out.schema.types.get(&name)?.definition {
            NewType::Domain { collation, .. } => collation.clone().filter(|name| name != "default"),
            NewType::Enum(_) | NewType::Other => None,
        }
    }

    pub(super) fn add_label(&mut self, written: &Written, label: &str) {
        if let Some(labels) = self.labels(written)
            && !labels.iter().any(|one| one == label)
        {
            labels.push(label.to_owned());
        }
    }

    pub(super) fn rename_label(&mut self, written: &Written, label: &str, to: &str) {
        for one in self.labels(written).into_iter().flatten().filter(|one| *one == label) {
            to.clone_into(one);
        }
    }

    fn labels(&mut self, written: &Written) -> Option<&mut Vec<String>> {
        let name = self.find_type(written);
        match &mut self.out.schema.types.get_mut(&name)?.definition {
            NewType::Enum(labels) => Some(labels),
            NewType::Domain { .. } | NewType::Other => None,
        }
    }

    pub(super) fn rename_type(&mut self, written: &Written, to: &str) {
        let name = self.find_type(written);
        let new = Name::new(&name.schema, crate::schema::name::truncated(to));
        self.move_type(&name, new);
    }

    pub(super) fn set_type_schema(&mut self, written: &Written, schema: &str) {
        let name = self.find_type(written);
        let new = Name::new(schema, &name.name);
        self.move_type(&name, new);
    }

    /// Columns stay of the type, and routines go on taking it, whatever it is called.
    fn move_type(&mut self, old: &Name, new: Name) {
        let types = &mut self.out.schema.types;
        if types.contains_key(&new) {
            return;
        }
        let Some(moved) = types.remove(old) else { return };
        types.insert(new.clone(), moved);
        for table in self.uses.of_type(old) {
            self.on_table(&table, |table| {
                for column in table.columns.values_mut() {
                    if let Some(type_name) = renamed(&column.type_name, old, &new) {
                        column.type_name = type_name;
                    }
                }
            });
        }
        self.uses.rename_type(old, &new);
        let takes = |one: &&Signature| one.arguments.iter().any(|argument| is_of(argument, old).is_some());
        let signatures: Vec<Signature> = self.out.schema.routines.keys().filter(takes).cloned().collect();
        for signature in signatures {
            let arguments: Vec<Option<String>> =
                signature.arguments.iter().map(|argument| renamed(argument, old, &new)).collect();
            if arguments.iter().any(Option::is_some) {
                let pairs = arguments.into_iter().zip(&signature.arguments);
                let arguments = pairs.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect();
                self.sign_anew(&signature, Signature { name: signature.name.clone(), arguments });
            }
        }
    }

    /// With CASCADE go the columns of the type.
    pub(super) fn drop_type(&mut self, written: &Written, cascade: bool, at: &Origin) {
        let name = self.find_type(written);
        self.out.schema.types.remove(&name);
        if !cascade {
            return;
        }
        let mut gone = Vec::new();
        for table in self.uses.of_type(&name) {
            let Some(one) = self.out.schema.tables.get(&table) else { continue };
            let columns = one.columns.iter().filter(|(_, column)| is_of(&column.type_name, &name).is_some());
            gone.extend(columns.map(|(column, _)| (table.clone(), column.clone())));
        }
        for (table, column) in gone {
            self.drop_column(&table, &column, at);
        }
    }
}

/// Whether a type is this one or an array of it: the array's marks.
fn is_of<'n>(type_name: &'n str, name: &Name) -> Option<&'n str> {
    // Most are not, which takes no reading.
    let may_be = type_name.contains(name.name.as_str()) || name.name.contains('"');
    may_be.then(|| named(type_name)).flatten().filter(|(one, _)| one == name).map(|(_, array)| array)
}

fn renamed(type_name: &str, old: &Name, new: &Name) -> Option<String> {
    is_of(type_name, old).map(|array| written(new, array))
}
