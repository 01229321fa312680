//~ depends reqwest
// A form that asks for a token says so, whatever its function is called.
pub struct Source { http: reqwest::Client, token_url: String, secret: String }

impl Source {
    pub async fn renewed(&self) -> reqwest::Result<reqwest::Response> {
        let form = [("grant_type", "refresh_token"), ("client_secret", self.secret.as_str())];
        self.http.post(&self.token_url).form(&form).send().await //~ auth
    }

    pub async fn posted(&self) -> reqwest::Result<reqwest::Response> {
        let form = [("kind", "refresh"), ("client_secret", self.secret.as_str())];
        self.http.post(&self.token_url).form(&form).send().await //~ mutate
    }
}
