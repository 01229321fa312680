// The nearest callers that lead out of the process say what a predicate is asked about.
struct Failure(reqwest::Error);
impl Failure {
    fn is_transient(&self) -> bool { self.0.is_connect() || self.0.is_timeout() }
    fn may_be_sent_anew(&self) -> bool {
        self.0.is_connect() || self.0.is_timeout() //~ timeout-as-failure
    }
}
async fn fetch(h: &reqwest::Client) -> Result<(), Failure> {
    h.get("https://api.example.com/operations").send().await.map(drop).map_err(Failure)
}
async fn poll(h: &reqwest::Client) {
    loop {
        match fetch(h).await {
            Err(error) if error.is_transient() => continue,
            _ => break,
        }
    }
}
async fn tell(h: &reqwest::Client) -> Result<(), Failure> {
    h.post("https://hooks.slack.com/services/x").send().await.map(drop).map_err(Failure)
}
async fn run(h: &reqwest::Client) {
    poll(h).await;
    if let Err(error) = tell(h).await
        && error.may_be_sent_anew()
    {
        report(&error);
    }
}
fn report(_: &Failure) {}
// A method that nobody asks is asked about nothing.
struct Fallback { enabled: bool }
impl Fallback {
    pub fn is_of_the_line(&self, error: &reqwest::Error) -> bool { self.enabled && (error.is_connect() || error.is_timeout()) }
}
