// Struct field, nested. SEND
struct Inner { http: reqwest::Client }
struct Bot { inner: std::sync::Arc<Inner> }
impl Bot { async fn say(&self, u: &str) { let _ = self.inner.http.post(u).send().await; } } //~ SEND
