// Generic over a local `HttpClient` trait: classify the trait method from its impls; all impls send, so the call SENDs (report once, at the call)
trait HttpClient { async fn post_json(&self, u: &str, b: String) -> u16; }
impl HttpClient for reqwest::Client { async fn post_json(&self, u: &str, b: String) -> u16 { self.post(u).body(b).send().await.unwrap().status().as_u16() } } //~ SEND
async fn notify<H: HttpClient>(h: &H) { h.post_json("https://x", String::new()).await; }
