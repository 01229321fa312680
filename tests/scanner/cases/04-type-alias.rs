// Type alias, also with generics. SEND
type Http = std::sync::Arc<reqwest::Client>;
struct Svc { http: Http }
impl Svc { async fn go(&self, u: &str) { let _ = self.http.delete(u).send().await; } } //~ SEND
