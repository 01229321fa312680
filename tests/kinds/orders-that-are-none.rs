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

// What is set for transfers moves nothing, and an address to pay to is not paid yet.
async fn settings(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/smart-transfers/settings/user-groups")).send().await; //~ mutate
    let _ = http.post(format!("{base}/vaults/1/deposit-address")).send().await; //~ mutate
    let _ = http.post(format!("{base}/validators/1/stake")).send().await; //~ charge
}

async fn mint_collection_token(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/collections/1/mint")).send().await; //~ mutate
}

// What is transferred may be a file or a community.
async fn start(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/docs/1/attachments/transferAll")).send().await; //~ mutate
    let _ = http.post(format!("{base}/community/transfer")).send().await; //~ mutate
    let _ = http.post(format!("{base}/accounts/1/transfer")).send().await; //~ charge
}
async fn transfer_community(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).send().await; //~ mutate
}
