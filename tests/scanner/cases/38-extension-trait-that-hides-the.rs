// Extension trait that hides the send (reqwest-eventsource): no `.send()` anywhere. MODEL or SEND by URL
fn f(http: &reqwest::Client, body: String) {
    use reqwest_eventsource::RequestBuilderExt;
    let es = http.post("https://api.openai.com/v1/chat/completions").body(body).eventsource(); //~ MODEL
}
