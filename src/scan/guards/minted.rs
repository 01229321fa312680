//! Values that a database or a counter of the process makes anew each time it is asked: a sequence, a row that every
//! attempt inserts, its random and clock functions.

use crate::scan::guards::attempt::Kind;

/// Functions of SQL that give another value at each call.
const FUNCTIONS: [(&str, Kind); 11] = [
    ("clock_timestamp()", Kind::Clock),
    ("current_timestamp", Kind::Clock),
    ("gen_random_uuid()", Kind::Random),
    ("last_insert_id()", Kind::Minted),
    ("last_insert_rowid()", Kind::Minted),
    ("nextval(", Kind::Minted),
    ("now()", Kind::Clock),
    ("random()", Kind::Random),
    ("uuid_generate_v4()", Kind::Random),
    ("uuidv4()", Kind::Random),
    ("uuidv7()", Kind::Random),
];

/// What a statement of SQL gives that is another at each attempt, and what in it makes it. A row that is inserted
/// unless it is there (`on conflict`) is the same at each.
pub(super) fn by_statement(text: &str) -> Option<(Kind, &'static str)> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let verb = text.split([' ', '(']).next().unwrap_or_default();
    match verb {
        "select" => {
            let list = text.split(" from ").next().unwrap_or_default();
            let found = FUNCTIONS.iter().find(|(name, _)| list.contains(name));
            found.map(|(name, kind)| (*kind, *name))
        }
        "insert" if text.contains(" returning ") && !text.contains("on conflict") => {
            Some((Kind::Minted, "insert .. returning"))
        }
        "update" if text.contains(" returning ") && ["+ 1", "+1"].iter().any(|step| text.contains(step)) => {
            Some((Kind::Minted, "update .. returning"))
        }
        _ => None,
    }
}

/// Methods of counters, and the names of what has them: another value at each call.
pub(super) fn by_method(path: &str, name: &str) -> bool {
    match name {
        "last_insert_id" | "last_insert_rowid" => true,
        "fetch_add" | "fetch_sub" => path.contains("Atomic"),
        "incr" | "incr_by" | "hincr" => ["redis", "fred"].iter().any(|krate| path.contains(krate)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_mints_where_each_run_of_it_gives_another_value() {
        for text in [
            "select nextval('mail_seq')",
            "SELECT\n  gen_random_uuid()::text",
            "insert into mails (body) values ($1) returning id",
            "update counters set n = n + 1 where name = 'mail' returning n",
        ] {
            assert!(by_statement(text).is_some(), "{text}");
        }
        for text in [
            "select id from mails where due < now()",
            "insert into mails (id) values ($1)",
            "insert into mails (event) values ($1) on conflict (event) do update set seen = true returning id",
            "update mails set state = 'sent' where id = $1 returning id",
            "the nextval( of it",
        ] {
            assert_eq!(by_statement(text), None, "{text}");
        }
    }
}
