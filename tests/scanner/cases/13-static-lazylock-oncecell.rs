// Static / LazyLock / OnceCell. SEND
static HTTP: std::sync::LazyLock<reqwest::Client> = std::sync::LazyLock::new(reqwest::Client::new);
async fn f(u: &str) {
    let _ = HTTP.post(u).send().await; //~ SEND
}
