//~ depends reqwest
// A builder that is taken apart into its client and its request.
use reqwest::Client;

async fn start(url: &str, body: String) -> reqwest::Result<()> {
    let (http, request) = Client::new().post(url).body(body).build_split();
    http.execute(request?).await?; //~ mutate
    let (http, request) = Client::new().get(url).build_split();
    http.execute(request?).await?; //~ read
    Ok(())
}

async fn api(body: String, path: &str) -> reqwest::Result<()> {
    let url = format!("https://api.bitbank.cc{path}");
    let (http, request) = reqwest::Client::new().post(url).body(body).build_split();
    let _: String = http.execute(request?).await?.json().await?; //~ mutate
    Ok(())
}
