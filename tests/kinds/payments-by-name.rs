//~ depends reqwest
//~ crate tosspayments
// A provider of payments is known by its name, a manifest that is PUT tells nobody.
async fn confirm(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ charge
}
async fn post_file(http: &reqwest::Client, url: &str) {
    let _ = http.post(url).body("{}").send().await; //~ mutate
}
async fn spend(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/wallets/1/spend/confirmation")).send().await; //~ charge
    let _ = http.post("https://openapi.alipay.com/gateway.do").send().await; //~ charge
}
async fn send_manifest(http: &reqwest::Client, url: &str) {
    let _ = http.put(url).body("{}").send().await; //~ mutate
}
async fn send_message(http: &reqwest::Client, url: &str) {
    let _ = http.put(url).body("{}").send().await; //~ send
}

// Of several addresses that which does most counts.
trait Endpoint {
    fn path(&self) -> String;
}
struct Cancel(u32);
impl Endpoint for Cancel {
    fn path(&self) -> String {
        format!("payments/{}/cancel", self.0)
    }
}
struct Confirm;
impl Endpoint for Confirm {
    fn path(&self) -> String {
        "payments/confirm".into()
    }
}
async fn execute<E: Endpoint>(http: &reqwest::Client, base: &str, endpoint: E) {
    let _ = http.post(format!("{base}/{}", endpoint.path())).send().await; //~ charge
}
async fn create(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/api/v1.2/transactions")).send().await; //~ charge
    let _ = http.post(format!("{base}/api/v1.2/customers")).send().await; //~ mutate
}
// A plain name says nothing; what calls it does, whatever the URL.
mod exchange {
    pub async fn post(http: &reqwest::Client, base: &str, path: &str) {
        let _ = http.post(format!("{base}/{path}")).send().await; //~ charge
    }
    pub async fn withdraw_from_bridge(http: &reqwest::Client, base: &str) {
        post(http, base, "exchange").await
    }
}
