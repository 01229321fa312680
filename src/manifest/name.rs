//! What names may look like: of action types, sources, key parts, schemas, tables and files.

use std::path::{Component, Path, PathBuf};

use crate::manifest::section::{At, Section, brief};

/// The longest name of an action type, source or key part, in octets: that of a Postgres identifier.
const MAX_NAME: usize = 63;

/// The longest schema name, in octets: `<schema>_maintenance` must fit a Postgres identifier.
const MAX_SCHEMA: usize = 40;

/// The generated Rust type of an action type or source: `send_reply` is `SendReply`.
#[must_use]
pub fn type_name(name: &str) -> String {
    let mut words = name.split('_').map(str::chars);
    words
        .by_ref()
        .flat_map(|mut word| word.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(word))
        .collect()
}

/// Whether it is made of lower-case letters, digits and `_`, and starts with a letter.
fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'_')
}

/// The nearest name that is made of the right letters: `sendReply` and `send-reply` are `send_reply`.
#[must_use]
pub fn plain(name: &str) -> String {
    let mut plain = String::new();
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_lower {
            plain.push('_');
        }
        after_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let kept = if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
        if !(kept == '_' && (plain.is_empty() || plain.ends_with('_'))) {
            plain.push(kept);
        }
    }
    plain.truncate(MAX_NAME);
    let plain = plain.trim_start_matches(|first: char| !first.is_ascii_lowercase()).trim_end_matches('_');
    if plain.is_empty() || is_rust_keyword(plain) {
        format!("the_{plain}").trim_end_matches('_').to_owned()
    } else {
        plain.to_owned()
    }
}

/// Whether Rust keeps the word for itself; also of the name's type, since `self` would become `Self`.
pub(crate) fn is_rust_keyword(name: &str) -> bool {
    // `gen` is reserved since the 2024 edition, and syn still takes it for a name.
    name == "gen" || (is_plain(name) && syn::parse_str::<syn::Ident>(name).is_err())
}

/// Reports a name that is no good for a Rust item and a database text; `what` is `action type`, `source`, `key part`.
pub(super) fn check_name(section: &Section<'_>, what: &str, name: At<&str>) -> bool {
    let shown = brief(name.value);
    let mend = plain(name.value);
    let (message, label) = if name.value.is_empty() {
        (format!("the {what} has no name"), "an empty name")
    } else if !is_plain(name.value) {
        (format!("the {what} `{shown}` is not made of lower-case letters, digits and `_`"), "it names a Rust item too")
    } else if name.value.len() > MAX_NAME {
        (format!("the name of the {what} is longer than {MAX_NAME} letters"), "too long for a database name")
    } else if is_rust_keyword(name.value) {
        (format!("the {what} `{shown}` is a Rust keyword"), "it names a Rust item too")
    } else {
        return true;
    };
    let help = match name.value.contains(|letter: char| letter.is_ascii_alphabetic()) {
        true => format!("call it `{mend}`, or what it is"),
        false => "give it a name that says what it is".to_owned(),
    };
    section.fault(name.span, message, label, help);
    false
}

/// Whether PostgreSQL takes this word for a name only in quotes, as the appendix "SQL Key Words" of its manual lists
/// them.
#[must_use]
pub fn is_sql_keyword(word: &str) -> bool {
    SQL_KEYWORDS.binary_search(&word).is_ok()
}

/// Words that Postgres takes for a schema only in quotes; sorted.
const SQL_KEYWORDS: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "binary",
    "both",
    "case",
    "cast",
    "check",
    "collate",
    "collation",
    "column",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "false",
    "fetch",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "group",
    "having",
    "ilike",
    "in",
    "initially",
    "inner",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "lateral",
    "leading",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "natural",
    "not",
    "notnull",
    "null",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "outer",
    "overlaps",
    "placing",
    "primary",
    "references",
    "returning",
    "right",
    "select",
    "session_user",
    "similar",
    "some",
    "symmetric",
    "system_user",
    "table",
    "tablesample",
    "then",
    "to",
    "trailing",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "variadic",
    "verbose",
    "when",
    "where",
    "window",
    "with",
];

/// Schemas in which other things live: the ledger revokes and grants on its whole schema.
const SHARED_SCHEMAS: &[&str] = &["information_schema", "public"];

/// Reports a schema name that would need quotes or belongs to others.
pub(super) fn check_schema(section: &Section<'_>, name: At<&str>) -> bool {
    let text = name.value;
    let shown = brief(text);
    let first = text.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    let letters = text.bytes().all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'_');
    let (message, label) = if !first || !letters {
        let message = format!("the schema name `{shown}` is not made of lower-case letters, digits and `_`");
        (message, "it is written without quotes everywhere")
    } else if text.len() > MAX_SCHEMA {
        let message = format!("the schema name is longer than {MAX_SCHEMA} letters");
        (message, "role names start with it and must fit 63 letters")
    } else if is_sql_keyword(text) {
        (format!("the schema name `{shown}` is an SQL keyword"), "it is written without quotes everywhere")
    } else if text.starts_with("pg_") {
        (format!("the schema name `{shown}` starts with pg_"), "Postgres keeps such names for itself")
    } else if SHARED_SCHEMAS.contains(&text) {
        (
            format!("the ledger cannot live in the schema `{shown}`"),
            "other things live there, and the ledger sets rights on its whole schema",
        )
    } else {
        return true;
    };
    section.fault(name.span, message, label, "name = \"onlyonce\" is the usual choice");
    false
}

/// A table name with up to one schema before it, as it stands without quotes.
pub(super) fn check_table(section: &Section<'_>, field: &str, name: At<&str>) -> bool {
    let good = name.value.split('.').count() <= 2 && name.value.split('.').all(is_sql_name);
    if !good {
        let message = format!("`{field}` in {} is no table name", section.title());
        section.fault(
            name.span,
            message,
            "a schema and a table, without quotes",
            format!("write it like {field} = \"public.agent_actions\""),
        );
    }
    good
}

/// A column or role name as it stands without quotes.
pub(super) fn check_sql_name(section: &Section<'_>, field: &str, name: At<&str>) -> bool {
    if !is_sql_name(name.value) {
        let message = format!("`{field}` in {} is no name of a column or role", section.title());
        section.fault(
            name.span,
            message,
            "letters, digits and `_`, as the catalog has it",
            format!("write it without quotes and blanks, like `{}`", plain(name.value)),
        );
        return false;
    }
    true
}

/// A name as the catalog has it: capitals stay capitals.
fn is_sql_name(name: &str) -> bool {
    let first = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let rest = name.bytes().all(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'$'));
    first && rest && name.len() <= MAX_NAME
}

/// A path below the manifest's folder, `.` taken out; reports what is absolute or leads out.
pub(super) fn check_path(section: &Section<'_>, field: &str, path: At<&str>) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for component in Path::new(path.value).components() {
        let wrong = match component {
            Component::Normal(name) => {
                inside.push(name);
                continue;
            }
            Component::CurDir => continue,
            Component::ParentDir if inside.pop() => continue,
            Component::ParentDir => "leads out of the manifest's folder",
            Component::RootDir | Component::Prefix(_) => "is absolute",
        };
        let message = format!("`{field}` in {} {wrong}", section.title());
        section.fault(
            path.span,
            message,
            "paths are relative to the manifest and stay below it",
            format!("write a path such as {field} = \"{}\"", sample(field)),
        );
        return None;
    }
    if inside.as_os_str().is_empty() || path.value.contains(['\\', '\0']) || path.value.chars().any(char::is_control) {
        let message = format!("`{field}` in {} is no path that every system reads", section.title());
        section.fault(
            path.span,
            message,
            "`/` parts folders, and something must be named",
            format!("write a path such as {field} = \"{}\"", sample(field)),
        );
        return None;
    }
    Some(inside)
}

fn sample(field: &str) -> &'static str {
    if field == "migrations" { "migrations" } else { "src/onlyonce.rs" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_after_names() {
        assert_eq!(type_name("send_reply"), "SendReply");
        assert_eq!(type_name("send__reply2_b"), "SendReply2B");
        assert_eq!(type_name(""), "");
    }

    #[test]
    fn plain_names_are_plain() {
        for (name, mended) in [
            ("sendReply", "send_reply"),
            ("send-reply", "send_reply"),
            ("HTTPCall", "httpcall"),
            ("9 lives", "lives"),
            ("9_9a", "a"),
            ("type", "the_type"),
            ("é", "the"),
            ("", "the"),
        ] {
            assert_eq!(plain(name), mended);
            assert!(is_plain(&plain(name)) && !is_rust_keyword(&plain(name)), "{name}");
        }
    }

    #[test]
    fn keywords_of_both_languages_are_known() {
        assert!(SQL_KEYWORDS.is_sorted());
        for word in ["self", "type", "gen", "async", "try", "yield", "crate"] {
            assert!(is_rust_keyword(word), "{word}");
        }
        for word in ["union", "auto", "reply", "raw"] {
            assert!(!is_rust_keyword(word), "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_mended_name_is_always_good(name: String) {
            let mended = plain(&name);
            proptest::prop_assert!(is_plain(&mended) && !is_rust_keyword(&mended) && mended.len() <= MAX_NAME + 4);
        }
    }
}
