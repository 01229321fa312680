//~ depends reqwest
// Of several methods that a URL may name, the one that does most is told.
enum Endpoint {
    Updates,
    Send,
}

impl Endpoint {
    fn as_str(&self) -> &'static str {
        match self {
            Endpoint::Updates => "getUpdates",
            Endpoint::Send => "sendMessage",
        }
    }
}

async fn call(http: &reqwest::Client, base: &str, endpoint: Endpoint) {
    let _ = http.post(format!("{base}/{}", endpoint.as_str())).send().await; //~ send
    let _ = http.get(format!("{base}/{}", endpoint.as_str())).send().await; //~ read
}
