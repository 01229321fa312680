// A function that is named after getting a token exchanges credentials; tokens of devices are none.
struct Api {
    http: reqwest::Client,
    token_endpoint: String,
    devices: String,
}

impl Api {
    async fn ensure_token(&self) -> reqwest::Result<reqwest::Response> {
        self.http.post(&self.token_endpoint).send().await //~ auth
    }

    async fn try_renew_access_token(&self) -> reqwest::Result<reqwest::Response> {
        self.http.post(&self.token_endpoint).send().await //~ auth
    }

    async fn refresh_device_token(&self) -> reqwest::Result<reqwest::Response> {
        self.http.post(&self.devices).send().await //~ mutate
    }
}
