// Key holds the attempt or the clock. KEY
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
fn key(id: u64, attempt: u32) -> String {
    format!("{id}-{attempt}-{}", std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()) //~ attempt-derived-key
}
async fn f(once: &Once, h: &reqwest::Client, id: u64) {
    for attempt in 0..3 {
        once.run(&key(id, attempt), || async { h.post("https://x").send().await }).await;
    }
}
