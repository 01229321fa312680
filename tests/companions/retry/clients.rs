// What clients do by themselves, and how that is switched off.
struct Quiet { hub: octocrab::Octocrab }
impl Quiet {
    fn new() -> Self {
        Self { hub: octocrab::Octocrab::builder().add_retry_config(octocrab::service::middleware::retry::RetryConfig::None).build().unwrap() }
    }
    async fn say(&self) { let _ = self.hub.issues("o", "r").create_comment(1, "done").await; }
}

async fn loud() {
    let hub = octocrab::Octocrab::builder().build().unwrap();
    let _ = hub.issues("o", "r").create_comment(1, "done").await; //~ retried-send
}

struct Mail { ses: aws_sdk_sesv2::Client }
async fn mail_client() -> Mail {
    let conf = aws_config::load_from_env().await;
    Mail { ses: aws_sdk_sesv2::Client::new(&conf) }
}
impl Mail {
    async fn send(&self) { let _ = self.ses.send_email().from_email_address("a@b").send().await; } //~ retried-send
}

// Under a deduplication id the queue tells.
async fn queue(sqs: &aws_sdk_sqs::Client, id: &str) {
    let _ = sqs.send_message().message_body("x").message_deduplication_id(id).send().await;
}

struct Web { http: reqwest_middleware::ClientWithMiddleware }
static POLICY: std::sync::LazyLock<Web> = std::sync::LazyLock::new(|| Web { http: repeating() });
fn repeating() -> reqwest_middleware::ClientWithMiddleware {
    let policy = reqwest_retry::policies::ExponentialBackoff::builder().build_with_max_retries(3);
    reqwest_middleware::ClientBuilder::new(reqwest::Client::new())
        .with(reqwest_retry::RetryTransientMiddleware::new_with_policy(policy))
        .build()
}
impl Web {
    fn http(&self) -> &reqwest_middleware::ClientWithMiddleware { &self.http }
    async fn say(&self, u: &str) { let _ = self.http().post(u).send().await; } //~ retried-send
}
async fn by_static(u: &str) { let _ = POLICY.http.post(u).send().await; } //~ retried-send

async fn plain(u: &str) {
    let http = reqwest_middleware::ClientBuilder::new(reqwest::Client::new()).build();
    let _ = http.post(u).send().await;
}
