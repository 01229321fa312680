// Newtype with `Deref`. SEND
struct Http(reqwest::Client);
impl std::ops::Deref for Http { type Target = reqwest::Client; fn deref(&self) -> &reqwest::Client { &self.0 } }
async fn f(h: &Http, u: &str) { let _ = h.post(u).send().await; } //~ SEND
