// Trait-qualified call. SEND (method from the request)
async fn f(mut c: reqwest::Client, r: reqwest::Request) {
    use tower_service::Service;
    let _ = <reqwest::Client as Service<reqwest::Request>>::call(&mut c, r).await; //~ SEND
}
