// Use alias. SEND
use reqwest::{Client as Web, RequestBuilder as Rb};
async fn f(w: &Web, u: &str) -> reqwest::Result<()> {
    let b: Rb = w.post(u);
    b.send().await.map(drop) //~ SEND
}
