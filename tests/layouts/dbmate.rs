//! dbmate's rules, re-implemented from amacneil/dbmate f3e08f15: `pkg/dbmate/{db,migration}.go`.

use std::path::Path;

use super::tool::{Step, files, transaction};

/// The up and down block; an error where dbmate would refuse the file.
pub(crate) fn blocks(text: &str) -> Result<(String, String), &'static str> {
    let starts = |word: &str| -> Vec<usize> {
        let mut offset = 0;
        let mut found = Vec::new();
        for line in text.split_inclusive('\n') {
            let comment = line.strip_prefix("--").map(str::trim_start);
            if comment.and_then(|rest| rest.strip_prefix(word)).is_some_and(|rest| rest.trim_end().is_empty()) {
                found.push(offset);
            }
            offset += line.len();
        }
        found
    };
    let (&[up], &[down]) = (starts("migrate:up").as_slice(), starts("migrate:down").as_slice()) else {
        return Err("one up block and one down block are required here");
    };
    if down < up {
        return Err("up must stand before down");
    }
    if text[..up].lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--")) {
        return Err("a statement stands before the up block");
    }
    Ok((text[up..down].to_owned(), text[down..].to_owned()))
}

fn version(name: &str) -> Option<String> {
    let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty() && name.ends_with(".sql")).then_some(digits)
}

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (version varchar PRIMARY KEY)";

pub(crate) async fn up(folder: &Path, client: &mut tokio_postgres::Client) {
    client.batch_execute(TABLE).await.unwrap();
    for (name, text) in files(folder, |name| version(name).map(|_| name.to_owned())) {
        let version = version(&name).unwrap();
        let known = client.query("SELECT 1 FROM schema_migrations WHERE version = $1", &[&version]).await.unwrap();
        if known.is_empty() {
            let row = format!("INSERT INTO schema_migrations (version) VALUES ('{version}')");
            transaction(client, Step { name: &name, statements: vec![blocks(&text).unwrap().0], row }).await;
        }
    }
}

pub(crate) async fn down(folder: &Path, client: &mut tokio_postgres::Client) {
    for (name, text) in files(folder, |name| version(name).map(|_| name.to_owned())).into_iter().rev() {
        let row = format!("DELETE FROM schema_migrations WHERE version = '{}'", version(&name).unwrap());
        transaction(client, Step { name: &name, statements: vec![blocks(&text).unwrap().1], row }).await;
    }
}

#[test]
fn dbmate_refuses_what_its_source_refuses() {
    assert!(blocks("-- note\n-- migrate:up\nA;\n-- migrate:down\nB;\n").is_ok());
    assert!(blocks("A;\n-- migrate:up\n-- migrate:down\n").is_err());
    assert!(blocks("-- migrate:up\nA;\n").is_err());
}
