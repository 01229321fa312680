// A key that a helper puts into a map of headers, behind an `if let`, and another helper sends.
use reqwest::header::{HeaderMap, HeaderValue};
struct Web { http: reqwest::Client, base: reqwest::Url }
struct Failure;
impl Web {
    fn build(&self, method: reqwest::Method, path: &str, key: Option<&str>) -> Result<reqwest::RequestBuilder, Failure> {
        let url = { let mut url = self.base.clone(); url.set_path(path); url };
        let mut headers = HeaderMap::new();
        headers.insert("Accept", HeaderValue::from_static("application/json"));
        if let Some(key) = key {
            let value = HeaderValue::from_str(key).map_err(|_| Failure)?;
            headers.insert("Idempotency-Key", value);
        }
        Ok(self.http.request(method, url).headers(headers).bearer_auth("t"))
    }
    fn execute(&self, request: reqwest::RequestBuilder, attempts: u8) -> Answer<()> {
        Box::pin(async move {
            for attempt in 0..attempts {
                let once = request.try_clone().expect("no stream");
                let result = once.send().await;
                match result {
                    Ok(_) => return Ok(()),
                    Err(_) if attempt + 1 == attempts => break,
                    Err(_) => continue,
                }
            }
            Err(Failure)
        })
    }
    fn post(&self, path: &str, key: Option<&str>) -> Answer<()> {
        let request = match self.build(reqwest::Method::POST, path, key) {
            Ok(request) => request,
            Err(error) => return refused(error),
        };
        self.execute(request, 3)
    }
}
async fn pay(web: &Web, order: &str) -> Result<(), Failure> {
    web.post("payments", Some(order)).await
}
