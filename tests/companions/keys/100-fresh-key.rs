// Fresh key through lets and format!. KEY
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
async fn f(once: &Once, h: &reqwest::Client) {
    let id = uuid::Uuid::new_v4(); //~ attempt-derived-key
    let key = format!("mail-{id}");
    once.run(&key, || async { h.post("https://x").send().await }).await;
}
