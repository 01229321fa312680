//~ depends reqwest, tokio-rusqlite, scylla
// The team's own stores, by whatever crate stands around them, are no outside world.
async fn rows(own: &tokio_rusqlite::Connection) -> Result<(), Error> {
    own.call(|rows| rows.execute("DELETE FROM jobs", [])).await?;
    Ok(())
}

async fn wide(session: &scylla::client::session::Session) -> Result<(), Error> {
    session.execute_unpaged("INSERT INTO t (a) VALUES (?)", (1,)).await?;
    Ok(())
}

// A folder for mail is no mail, and the settings of a notification tell nobody.
async fn keeps(http: &reqwest::Client, base: &str) {
    let _ = http.post("https://graph.microsoft.com/v1.0/me/mailFolders").send().await; //~ mutate
    let _ = http.post(format!("{base}/notifications/settings")).send().await; //~ mutate
    let _ = http.post(format!("{base}/email/templates")).send().await; //~ mutate
    let _ = http.post(format!("{base}/email/templates/send")).send().await; //~ send
    let _ = http.post(format!("{base}/responses")).send().await; //~ model
}
