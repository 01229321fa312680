//~ depends reqwest
// A header that one kind of service has; an address that only this machine answers at.
pub struct Provider { http: reqwest::Client, base: String }

impl Provider {
    pub async fn turn(&self, body: &str) -> reqwest::Result<reqwest::Response> {
        let request = self.http.post(format!("{}/messages", self.base)).header("anthropic-version", "2023-06-01");
        request.body(body.to_owned()).send().await //~ model
    }

    pub async fn said(&self, body: &str) -> reqwest::Result<reqwest::Response> {
        let request = self.http.post(format!("{}/messages", self.base)).header("x-version", "2023-06-01");
        request.body(body.to_owned()).send().await //~ send
    }

    pub async fn credentials(&self) -> reqwest::Result<reqwest::Response> {
        self.http.put("http://169.254.169.254/latest/api/token").send().await
    }

    pub async fn replaced(&self) -> reqwest::Result<reqwest::Response> {
        self.http.put("http://192.0.2.1/latest/api/token").send().await //~ mutate
    }
}
