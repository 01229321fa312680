//! Types and domains, and the columns and routines that are of them.

use super::Player;
use crate::schema::{Name, Origin, Signature, Type};
use crate::sql::cursor::spelled;
use crate::sql::ddl::{NewType, Written};
use crate::sql::tokens;

impl Player {
    pub(super) fn create_type(&mut self, written: &Written, new: &NewType, at: Origin) {
        let name = self.new_name(written);
        self.out.schema.types.entry(name).or_insert(Type { made: at, definition: new.clone() });
    }

    fn find_type(&self, written: &Written) -> Name {
        self.find_where(written, |name| self.out.schema.types.contains_key(name))
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
        for column in self.out.schema.tables.values_mut().flat_map(|table| table.columns.values_mut()) {
            if let Some(type_name) = renamed(&column.type_name, old, &new) {
                column.type_name = type_name;
            }
        }
        let signatures: Vec<Signature> = self.out.schema.routines.keys().cloned().collect();
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
        for (table, one) in &self.out.schema.tables {
            let columns = one.columns.iter().filter(|(_, column)| written_as(&column.type_name, &name).is_some());
            gone.extend(columns.map(|(column, _)| (table.clone(), column.clone())));
        }
        for (table, column) in gone {
            self.drop_column(&table, &column, at);
        }
    }
}

/// Whether a type is this one or an array of it: whether its name was written with the schema, and the array's marks.
fn written_as<'n>(type_name: &'n str, name: &Name) -> Option<(bool, &'n str)> {
    let end = if type_name.ends_with("[]") { type_name.find("[]")? } else { type_name.len() };
    let (base, array) = type_name.split_at_checked(end)?;
    let words = tokens(base);
    match words.as_slice() {
        [one] => (one.name(base)? == name.name).then_some((false, array)),
        [schema, _, one] => {
            (one.name(base)? == name.name && schema.name(base)? == name.schema).then_some((true, array))
        }
        _ => None,
    }
}

fn renamed(type_name: &str, old: &Name, new: &Name) -> Option<String> {
    let (is_whole, array) = written_as(type_name, old)?;
    let schema = if is_whole { format!("{}.", spelled(&new.schema)) } else { String::new() };
    Some(format!("{schema}{}{array}", spelled(&new.name)))
}
