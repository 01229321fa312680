// A repeat of the guard is right, a repeat inside of it is not.
struct Once;
impl Once {
    async fn run<F, R>(&self, key: &str, act: F) -> Result<(), ()> where F: FnOnce() -> R, R: Future<Output = Result<(), ()>> { act().await }
}

async fn outside(once: &Once, h: &reqwest::Client, key: &str) {
    for _ in 0..3 {
        let sent = once.run(key, || async { h.post("https://x").send().await.map(drop).map_err(drop) }).await;
        if sent.is_ok() { break }
    }
}

async fn inside(once: &Once, h: &reqwest::Client, key: &str) {
    let _ = once.run(key, || async {
        for _ in 0..3 {
            if h.post("https://x").send().await.is_ok() { return Ok(()) } //~ retried-send
        }
        Err(())
    }).await;
}

async fn low(h: &reqwest::Client) -> Result<(), ()> {
    for _ in 0..3 {
        if h.post("https://x").send().await.is_ok() { return Ok(()) } //~ retried-send
    }
    Err(())
}
async fn high(once: &Once, h: &reqwest::Client, key: &str) {
    let _ = once.run(key, || low(h)).await;
}

// With the key in the request the other side tells.
async fn keyed(h: &reqwest::Client, key: &str) {
    for _ in 0..3 {
        if h.post("https://api.stripe.com/v1/charges").header("Idempotency-Key", key).send().await.is_ok() { break }
    }
}
