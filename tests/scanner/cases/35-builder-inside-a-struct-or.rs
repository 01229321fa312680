// Builder inside a struct or tuple that a local fn returned. Field type plus constructor summary. SEND
struct Prepared { builder: reqwest::RequestBuilder }
fn prep(h: &reqwest::Client) -> Prepared { Prepared { builder: h.post("https://x") } }
async fn f(h: &reqwest::Client) { let _ = prep(h).builder.send().await; } //~ SEND
