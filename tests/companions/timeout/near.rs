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
// The error is that of what only reads, whatever else the function does.
async fn listens(h: &reqwest::Client) {
    loop {
        match next_event(h).await {
            Ok(()) => drop(h.post("https://hooks.slack.com/services/x").send().await),
            Err(e) if e.is_timeout() || e.is_connect() => continue,
            Err(_) => break,
        }
    }
}
async fn next_event(h: &reqwest::Client) -> reqwest::Result<()> { h.get("https://api.example.com/next").send().await.map(drop) }
async fn says_once_more(h: &reqwest::Client) {
    loop {
        match h.post("https://hooks.slack.com/services/x").send().await {
            Ok(_) => break,
            Err(e) if e.is_timeout() || e.is_connect() => continue, //~ timeout-as-failure
            Err(_) => break,
        }
    }
}
