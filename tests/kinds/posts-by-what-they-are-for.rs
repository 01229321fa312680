//~ depends reqwest
// What a POST is for: events and conversions that are reported are measurements, a client of OpenID
// posts credentials, a notifier tells somebody.
async fn upload_click_conversion(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ telemetry
}
async fn create_conversion(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ mutate
}

async fn send_track_event(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ telemetry
}
async fn track_file(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ mutate
}
async fn pages(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/scrape")).body("{}").send().await; //~ read
    let _ = http.post(format!("{base}/search-and-scrape")).body("{}").send().await; //~ read
    let _ = http.post(format!("{base}/search-and-replace")).body("{}").send().await; //~ mutate
}
async fn human(http: &reqwest::Client) {
    let _ = http.post("https://challenges.example.com/turnstile/v0/siteverify").body("{}").send().await; //~ read
    let _ = http.post("https://stats.example.com/matomo.php").body("{}").send().await; //~ telemetry
}

struct Transport {
    http: reqwest::Client,
}
impl Transport {
    async fn post_form_raw(&self, url: &str, body: String) {
        let _ = self.http.post(url).body(body).send().await; //~ auth
    }
}
struct OidcClient {
    transport: Transport,
}
impl OidcClient {
    async fn post_form(&self, url: &str, body: String) {
        self.transport.post_form_raw(url, body).await
    }
}

mod notifiers {
    pub struct ZulipNotifier {
        http: reqwest::Client,
        url: String,
    }
    impl ZulipNotifier {
        pub async fn attempt(&self, text: String) {
            let _ = self.http.post(&self.url).body(text).send().await; //~ send
        }
    }
}
struct Settings {
    http: reqwest::Client,
    url: String,
}
impl Settings {
    async fn add_notifier(&self, text: String) {
        let _ = self.http.post(&self.url).body(text).send().await; //~ mutate
    }
}
async fn batch_validate(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).send().await;
}
async fn batch_update(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).send().await; //~ mutate
}
