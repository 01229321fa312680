// Fresh key as a fallback, in a default field, or from a getter. KEY (weaker)
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
struct Order { request_id: Option<String> }
struct Request { id: String, text: String }
impl Default for Request {
    fn default() -> Self { Self { id: uuid::Uuid::new_v4().to_string(), text: String::new() } } //~ attempt-derived-key
}
impl Request { fn id(&self) -> &str { &self.id } }
struct Call { id: String }
impl Call {
    fn new() -> Self { Call { id: nanoid::nanoid!() } } //~ attempt-derived-key
    fn key(&self) -> String { format!("call-{}", self.id) }
}
fn key(o: &Order) -> String {
    o.request_id.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string()) //~ attempt-derived-key
}
async fn f(once: &Once, h: &reqwest::Client, o: &Order) {
    once.run(&key(o), || async { h.post("https://x").send().await }).await;
}
async fn g(once: &Once, h: &reqwest::Client) {
    let request = Request { text: "x".into(), ..Default::default() };
    once.run(request.id(), || async { h.post("https://x").send().await }).await;
}
async fn k(once: &Once, h: &reqwest::Client) {
    let call = Call::new();
    once.run(&call.key(), || async { h.post("https://x").send().await }).await;
}
