// Builder passed through a helper (auth decorators; 24 sites). A fn `RequestBuilder -> RequestBuilder` is transparent. SEND
impl Viber { fn auth(&self, b: reqwest::RequestBuilder) -> reqwest::RequestBuilder { b.header("k", "v") }
    async fn hook(&self, u: &str) { let _ = self.auth(self.http.post(u)).json(&1).send().await; } //~ SEND
}
