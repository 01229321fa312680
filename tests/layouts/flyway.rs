//! Flyway's rules, re-implemented from flyway/flyway c5e20fc7: `internal/parser/Parser.java`,
//! `PostgreSQLParser.java`, `internal/resource/ResourceNameParser.java`. Placeholders are replaced before the text
//! is cut; statements run one by one.

use std::path::Path;

use super::tool::{Step, files, transaction};

/// The statements; an error where a placeholder has no value, as Flyway fails then.
pub(crate) fn split(text: &str) -> Result<Vec<String>, String> {
    if let Some(at) = text.find("${") {
        return Err(format!("no value for a placeholder: {}", text[at..].lines().next().unwrap()));
    }
    let (mut statements, mut start, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        let skip =
            |from: usize, close: &str| rest[from..].find(close).map_or(rest.len(), |end| from + end + close.len());
        at += match rest.as_bytes() {
            [b'-', b'-', ..] => skip(2, "\n"),
            [b'/', b'*', ..] => skip(2, "*/"),
            [b'\'', ..] => skip(1, "'"),
            [b'"', ..] => skip(1, "\""),
            [b'$', ..] => {
                let quote = &rest[..skip(1, "$")];
                skip(quote.len(), quote)
            }
            [b'(', ..] => {
                depth += 1;
                1
            }
            [b')', ..] => {
                depth = depth.saturating_sub(1);
                1
            }
            [b';', ..] if depth == 0 => {
                statements.push(text[start..at].trim().to_owned());
                start = at + 1;
                1
            }
            _ => rest.chars().next().unwrap().len_utf8(),
        };
    }
    Ok(statements)
}

/// Parts of the version, ordered as numbers.
fn version(name: &str, prefix: &str) -> Option<Vec<u64>> {
    let (version, _) = name.strip_suffix(".sql")?.strip_prefix(prefix)?.split_once("__")?;
    version.split(['.', '_']).map(|part| part.parse().ok()).collect()
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS flyway_schema_history (installed_rank serial PRIMARY KEY, \
     version varchar(50) UNIQUE, description varchar(200) NOT NULL, type varchar(20) NOT NULL)";

pub(crate) async fn up(folder: &Path, client: &mut tokio_postgres::Client) {
    client.batch_execute(TABLE).await.unwrap();
    for (name, text) in files(folder, |name| version(name, "V")) {
        let version = version(&name, "V").unwrap().iter().map(u64::to_string).collect::<Vec<_>>().join(".");
        let known = client.query("SELECT 1 FROM flyway_schema_history WHERE version = $1", &[&version]).await.unwrap();
        if known.is_empty() {
            let columns = "version, description, type";
            let row = format!("INSERT INTO flyway_schema_history ({columns}) VALUES ('{version}', '{name}', 'SQL')");
            transaction(client, Step { name: &name, statements: split(&text).unwrap(), row }).await;
        }
    }
}

pub(crate) async fn down(folder: &Path, client: &mut tokio_postgres::Client) {
    for (name, text) in files(folder, |name| version(name, "U")).into_iter().rev() {
        let version = version(&name, "U").unwrap().iter().map(u64::to_string).collect::<Vec<_>>().join(".");
        let row = format!("DELETE FROM flyway_schema_history WHERE version = '{version}'");
        transaction(client, Step { name: &name, statements: split(&text).unwrap(), row }).await;
    }
}

#[test]
fn flyway_replaces_placeholders_and_keeps_bodies() {
    assert!(split("SELECT '${x}';").is_err());
    assert_eq!(split("-- a;\nSELECT ';' ; DO $x$ a; $x$;").unwrap(), ["-- a;\nSELECT ';'", "DO $x$ a; $x$"]);
}
