// One request that several callers ask for has one key, told of once.
struct Api { http: reqwest::Client }
impl Api {
    async fn call(&self, method: reqwest::Method, path: &str) -> reqwest::Result<()> {
        let key = uuid::Uuid::new_v4().to_string(); //~ attempt-derived-key
        self.http.request(method, format!("https://api.example.com/{path}")).header("Idempotency-Key", key).send().await.map(drop)
    }
    async fn one(&self) { let _ = self.call(reqwest::Method::POST, "messages").await; }
    async fn two(&self) { let _ = self.call(reqwest::Method::POST, "payments").await; }
}
