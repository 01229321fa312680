//~ depends reqwest
//~ crate notifier
// What a crate is for says nothing of a function that is named after something else.
struct Images {
    http: reqwest::Client,
    url: String,
}

impl Images {
    async fn rotate_image(&self, id: u64) {
        let _ = self.http.post(format!("{}?id={id}", self.url)).send().await; //~ mutate
    }

    async fn send(&self, body: String) {
        let _ = self.http.post(&self.url).body(body).send().await; //~ send
    }
}

// A stream that is listened to.
async fn listen_request(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/documents:stream")).send().await; //~ read
}
