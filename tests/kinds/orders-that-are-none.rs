//~ depends reqwest, instant-acme
// Words of money that stand for something else.
mod acme {
    pub async fn new_order(http: &reqwest::Client, url: &str, body: String) {
        let _ = http.post(url).body(body).send().await; //~ mutate
    }
}

async fn certify(http: &reqwest::Client, base: &str, body: String) {
    let _ = http.post(format!("{base}/acme/new-order")).body(body).send().await; //~ mutate
    let _ = http.post(format!("{base}/orders")).send().await; //~ charge
}

// A speed of transfers is switched.
async fn limits(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/api/v2/transfer/toggleSpeedLimitsMode")).send().await; //~ mutate
}

// A provider of payments is given a file.
async fn documents(http: &reqwest::Client, form: Form, id: &str) {
    let _ = http.post("https://api.razorpay.com/v1/documents").multipart(form).send().await; //~ mutate
    let _ = http.post(format!("https://api.stripe.com/v1/charges/{id}/capture")).send().await; //~ charge
}
