//! Values and names as SQL that means the same to every server, in every session, under every tool.

use std::borrow::Cow;
use std::time::Duration;

use super::{Name, Signature};
use crate::manifest::name::is_sql_keyword;

/// Text. What is not plain ASCII, and what Flyway would replace, is written by its code point.
#[must_use]
pub fn text(value: &str) -> String {
    let escaped = |c: char| !(' '..='~').contains(&c) || c == '\\';
    if !value.contains(escaped) && !value.contains("${") {
        return format!("'{}'", value.replace('\'', "''"));
    }
    let body: String = value
        .chars()
        .map(|c| match c {
            '\'' => "''".to_owned(),
            '\\' => "\\\\".to_owned(),
            '$' => "\\x24".to_owned(),
            c if escaped(c) => format!("\\U{:08x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("E'{body}'")
}

/// A body between dollar quotes with a tag that it does not hold: this one, as a rule.
#[must_use]
pub fn dollars(tag: &str, body: &str) -> String {
    let mut tag = tag.to_owned();
    while body.contains(&format!("${tag}$")) {
        tag.push('_');
    }
    format!("${tag}${body}${tag}$")
}

/// The text of a RAISE with a value between each two parts; a `%` in them stands for itself.
#[must_use]
pub fn raised(parts: &[&str]) -> String {
    text(&parts.iter().map(|part| part.replace('%', "%%")).collect::<Vec<_>>().join("%"))
}

/// An argument of a shell, in quotes.
#[must_use]
pub fn argument(value: &str) -> String {
    format!("'{}'", value.replace('\'', "'\\''"))
}

/// Text, or NULL.
#[must_use]
pub fn optional_text(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), text)
}

/// An interval in the largest of hours, minutes and seconds that divides it: never in days, whose length depends
/// on the session's time zone.
#[must_use]
pub fn interval(value: Duration) -> String {
    let seconds = value.as_secs();
    let (number, unit) = match seconds {
        seconds if seconds % 3600 == 0 => (seconds / 3600, "hour"),
        seconds if seconds % 60 == 0 => (seconds / 60, "minute"),
        seconds => (seconds, "second"),
    };
    format!("interval '{number} {unit}{}'", if number == 1 { "" } else { "s" })
}

/// An interval, or NULL.
#[must_use]
pub fn optional_interval(value: Option<Duration>) -> String {
    value.map_or_else(|| "NULL".to_owned(), interval)
}

/// A name of the catalog, in quotes where a statement would read something else without them.
#[must_use]
pub fn name(value: &str) -> Cow<'_, str> {
    let plain = value.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain && !is_sql_keyword(value) {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(format!("\"{}\"", value.replace('"', "\"\"")))
    }
}

/// A name with its schema.
#[must_use]
pub fn qualified(value: &Name) -> String {
    format!("{}.{}", name(&value.schema), name(&value.name))
}

/// A routine as a statement names it.
#[must_use]
pub fn routine(signature: &Signature) -> String {
    format!("{}({})", qualified(&signature.name), signature.arguments.join(", "))
}

/// Names with a comma between.
pub fn names<'n>(values: impl IntoIterator<Item = &'n String>) -> String {
    values.into_iter().map(|value| name(value)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_ascii_and_quoted() {
        assert_eq!(text("it's"), "'it''s'");
        assert_eq!(text("a\\b\n\u{e9}\u{1f600}'"), "E'a\\\\b\\U0000000a\\U000000e9\\U0001f600'''");
        assert_eq!(text("${x}"), "E'\\x24{x}'");
        assert_eq!(optional_text(None), "NULL");
        assert_eq!(raised(&["50% of it's ", ""]), "'50%% of it''s %'");
        assert_eq!(dollars("guard", "a $guard$ b"), "$guard_$a $guard$ b$guard_$");
        assert_eq!(argument("it's"), "'it'\\''s'");
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(names(&["state_2", "tenantId", "order", "2nd", "a\"b", "é"].map(str::to_owned)), {
            "state_2, \"tenantId\", \"order\", \"2nd\", \"a\"\"b\", \"é\""
        });
        assert_eq!(qualified(&Name::new("public", "user")), "public.\"user\"");
    }

    #[test]
    fn intervals_have_no_days() {
        let interval = |seconds| interval(Duration::from_secs(seconds));
        assert_eq!(interval(14 * 86_400), "interval '336 hours'");
        assert_eq!(interval(3600), "interval '1 hour'");
        assert_eq!(interval(90), "interval '90 seconds'");
        assert_eq!(interval(300), "interval '5 minutes'");
        assert_eq!(interval(0), "interval '0 hours'");
        assert_eq!(optional_interval(None), "NULL");
    }
}
