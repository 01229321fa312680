// Accessor method or fn returning the client. SEND
struct S { c: reqwest::Client }
impl S {
    fn http(&self) -> &reqwest::Client { &self.c }
    async fn go(&self, u: &str) { let _ = self.http().post(u).send().await; } //~ SEND
}
