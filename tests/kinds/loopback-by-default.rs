// A loopback address that a field holds at first is a default: requests may go anywhere. One written at the call
// stays here.
#[derive(serde::Deserialize)]
struct Settings {
    server: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { server: "http://localhost:8080/v2".to_owned() }
    }
}

async fn give(http: &reqwest::Client, settings: &Settings, user: u64) -> reqwest::Result<()> {
    http.patch(format!("{}/credit/{user}", settings.server)).send().await?; //~ mutate
    http.patch(format!("http://localhost:8080/credit/{user}")).send().await?;
    Ok(())
}
