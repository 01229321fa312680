// What a getter answers is of the value that it is asked of: what others are asked for is none of its matter
struct Once;
impl Once { async fn run<F>(&self, _key: &str, _body: F) {} }
struct Request { id: String }
impl Request {
    fn id(&self) -> &str { &self.id }
    fn labelled(&self, label: &str) -> String { format!("{label}-{}", self.id()) }
}
fn joined(one: &str, two: &str) -> String { format!("{one}/{two}") }
async fn steady(once: &Once, h: &reqwest::Client, order: &str) {
    let request = Request { id: order.to_owned() };
    once.run(request.id(), || async { h.post("https://x").send().await }).await;
    once.run(&request.labelled("reply"), || async { h.post("https://x").send().await }).await;
    once.run(&joined(order, "reply"), || async { h.post("https://x").send().await }).await;
}
fn traced() {
    let request = Request { id: uuid::Uuid::new_v4().to_string() };
    println!("{} {} {}", request.id(), request.labelled("trace"), joined(&nanoid::nanoid!(), "trace"));
}
async fn fresh(once: &Once, h: &reqwest::Client) {
    let request = Request { id: uuid::Uuid::new_v4().to_string() }; //~ attempt-derived-key
    once.run(&request.labelled("reply"), || async { h.post("https://x").send().await }).await;
    let part = nanoid::nanoid!(); //~ attempt-derived-key
    once.run(&joined("reply", &part), || async { h.post("https://x").send().await }).await;
}
