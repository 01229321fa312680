//! Names of types: those of PostgreSQL's own stand bare, and so do those in `public`; any other with its schema.

use super::Name;
use crate::sql::cursor::spelled;
use crate::sql::tokens;

/// Types of PostgreSQL's own that are one word; sorted. A bare name means one of these before any in `public`.
const OWN: [&str; 46] = [
    "aclitem",
    "bigint",
    "bit",
    "boolean",
    "box",
    "bpchar",
    "bytea",
    "character",
    "cid",
    "cidr",
    "circle",
    "date",
    "daterange",
    "inet",
    "int4multirange",
    "int4range",
    "int8range",
    "integer",
    "interval",
    "json",
    "jsonb",
    "jsonpath",
    "line",
    "lseg",
    "macaddr",
    "money",
    "name",
    "numeric",
    "numrange",
    "oid",
    "path",
    "point",
    "polygon",
    "real",
    "regclass",
    "regproc",
    "regtype",
    "smallint",
    "text",
    "tid",
    "tsquery",
    "tsrange",
    "tstzrange",
    "tsvector",
    "uuid",
    "xml",
];

/// The type that a type's name means, and the marks of an array behind it; `None` for what is certainly none of
/// somebody's own.
#[must_use]
pub fn named(type_name: &str) -> Option<(Name, &str)> {
    let end = if type_name.ends_with("[]") { type_name.find("[]")? } else { type_name.len() };
    let (base, array) = type_name.split_at_checked(end)?;
    let words = tokens(base);
    match words.as_slice() {
        [one] => {
            let name = one.name(base)?;
            (!is_own(&name)).then(|| (Name::new("public", name), array))
        }
        [schema, _, one] => Some((Name::new(schema.name(base)?, one.name(base)?), array)),
        _ => None,
    }
}

/// A type's name as a column has it.
#[must_use]
pub fn written(name: &Name, array: &str) -> String {
    if name.schema == "public" && !is_own(&name.name) {
        return format!("{}{array}", spelled(&name.name));
    }
    format!("{}.{}{array}", spelled(&name.schema), spelled(&name.name))
}

fn is_own(name: &str) -> bool {
    OWN.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_type() {
        assert!(OWN.is_sorted());
        for (type_name, schema, name, array) in [
            ("state", "public", "state", ""),
            ("other.state", "other", "state", ""),
            ("other.text", "other", "text", ""),
            ("public.text", "public", "text", ""),
            ("\"Other\".\"a b\"[]", "Other", "a b", "[]"),
        ] {
            assert_eq!(named(type_name), Some((Name::new(schema, name), array)));
            assert_eq!(written(&Name::new(schema, name), array), type_name);
        }
        assert_eq!(named("text"), None);
        assert_eq!(named("character varying(9)"), None);
    }
}
