//! What the re-implemented tools share: names, and one transaction with the tool's own row in it.

use std::path::Path;

/// A file of one direction, ready to run.
pub(crate) struct Step<'a> {
    pub(crate) name: &'a str,
    pub(crate) statements: Vec<String>,
    /// What the tool writes into its own table in the same transaction.
    pub(crate) row: String,
}

/// The files that the tool knows, with their texts, in the order of what `order` makes of their names.
pub(crate) fn files<K: Ord>(folder: &Path, order: impl Fn(&str) -> Option<K>) -> Vec<(String, String)> {
    let mut found: Vec<(K, String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            order(&name).map(|key| (key, name, std::fs::read_to_string(entry.path()).unwrap()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, name, text)| (name, text)).collect()
}

/// `7` of `0007_name.sql`.
pub(crate) fn numeric_prefix(name: &str) -> Option<u64> {
    let (version, _) = name.strip_suffix(".sql")?.split_once('_')?;
    version.parse().ok()
}

/// Runs the statements and the row in one transaction.
pub(crate) async fn transaction(client: &mut tokio_postgres::Client, step: Step<'_>) {
    let transaction = client.transaction().await.unwrap();
    for statement in step.statements.iter().chain([&step.row]) {
        let done = transaction.batch_execute(statement).await;
        done.unwrap_or_else(|error| panic!("{}: {}\n{statement}", step.name, told(&error)));
    }
    transaction.commit().await.unwrap();
}

/// What the server said.
pub(crate) fn told(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |server| format!("{server:?}"))
}
