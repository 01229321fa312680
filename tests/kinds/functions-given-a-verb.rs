//~ depends acme_http, http
// A function of a crate that nobody listed, which is given the HTTP method and the address.
use http::Method;

async fn f(body: String) {
    let _ = acme_http::fetch_json(Method::POST, "https://api.example.com/v1/things", body).await; //~ mutate
    let _ = acme_http::fetch_json(Method::GET, "https://api.example.com/v1/things", String::new()).await;
}
