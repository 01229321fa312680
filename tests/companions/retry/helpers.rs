// Functions that are given what they repeat.
async fn retry_with_backoff<F, R>(act: F) -> reqwest::Result<()> where F: Fn() -> R, R: Future<Output = reqwest::Result<()>> {
    act().await
}
async fn insist<F, R>(act: F) -> reqwest::Result<()> where F: Fn() -> R, R: Future<Output = reqwest::Result<()>> {
    let mut left = 3;
    loop {
        match act().await {
            Ok(()) => return Ok(()),
            Err(e) if left == 0 => return Err(e),
            Err(_) => left -= 1,
        }
    }
}
async fn plainly<F, R>(act: F) -> reqwest::Result<()> where F: Fn() -> R, R: Future<Output = reqwest::Result<()>> {
    act().await
}
async fn low(h: &reqwest::Client) -> reqwest::Result<()> { h.post("https://x").send().await.map(drop) } //~ retried-send

async fn f(h: &reqwest::Client) {
    let _ = retry_with_backoff(|| async { h.post("https://x").send().await.map(drop) }).await; //~ retried-send
    let _ = insist(|| async { h.put("https://x").send().await.map(drop) }).await; //~ retried-send
    let _ = plainly(|| async { h.patch("https://x").send().await.map(drop) }).await;
    let act = || async { h.post("https://y").send().await.map(drop) }; //~ retried-send
    let _ = retry_with_backoff(act).await;
    let _ = insist(|| low(h)).await;
    log_retry(h.post("https://z").send().await.is_err());
}
fn log_retry(_: bool) {}

// Only what the other side turned down is repeated.
async fn g(mail: &resend_rs::Resend, m: resend_rs::types::CreateEmailBaseOptions) {
    let _ = resend_rs::rate_limit::send_with_retry(|| mail.emails.send(m.clone())).await;
}

async fn worker(h: &reqwest::Client, job: Job, delivery: Delivery) {
    match h.post("https://hooks.slack.com/services/x").send().await { //~ retried-send
        Ok(_) => delivery.ack().await,
        Err(_) => delivery.requeue(job).await,
    }
}
struct Job;
struct Delivery;
impl Delivery {
    async fn ack(&self) {}
    async fn requeue(&self, _job: Job) {}
}
