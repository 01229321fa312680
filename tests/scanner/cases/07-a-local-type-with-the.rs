// A local type with the same name and method (rig has `RequestBuilder`-like types): local definition wins over a glob. MODEL or NOT-OUTBOUND, not HTTP
struct RequestBuilder { prompt: String }
impl RequestBuilder { async fn send(self) -> String { self.prompt } }
async fn f() -> String { RequestBuilder { prompt: String::new() }.send().await }
