//~ depends reqwest
// The last segment of a URL is often the name of a method: it says more than the host, and than words before it.
async fn telegram(http: &reqwest::Client, token: &str) {
    let base = format!("https://api.telegram.org/bot{token}");
    let _ = http.post(format!("{base}/getUpdates")).send().await; //~ read
    let _ = http.post(format!("{base}/sendMessage")).send().await; //~ send
    let _ = http.post(format!("{base}/editMessageText")).send().await; //~ mutate
    let _ = http.post(format!("{base}/deleteMessage")).send().await; //~ mutate
}

async fn slack(http: &reqwest::Client) {
    let _ = http.post("https://slack.com/api/auth.test").send().await; //~ read
    let _ = http.post("https://slack.com/api/apps.connections.open").send().await; //~ read
    let _ = http.post("https://slack.com/api/conversations.replies").send().await; //~ read
    let _ = http.post("https://slack.com/api/chat.postMessage").send().await; //~ send
    let _ = http.post("https://slack.com/api/chat.update").send().await; //~ mutate
}

// An index of e-mails is searched and emptied; nobody gets one.
async fn index(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/st_email/_search")).send().await; //~ read
    let _ = http.post(format!("{base}/st_email/_delete_by_query")).send().await; //~ mutate
    let _ = http.post(format!("{base}/email/send")).send().await; //~ send
    let _ = http.post(format!("{base}/messages/42/move")).send().await; //~ mutate
}

// A token that a POST gets is no plain read, and a change beside a read is one.
async fn others(http: &reqwest::Client, base: &str) {
    let _ = http.post(format!("{base}/find_or_create")).send().await; //~ mutate
    let _ = http.post(format!("{base}/list-unsubscribe")).send().await; //~ mutate
    let _ = http.post(format!("{base}/query_insert")).send().await; //~ mutate
    let _ = http.post(format!("{base}/email.test")).send().await; //~ send
    let _ = http.post("https://api.stripe.com/v1/charges/list_capture").send().await; //~ charge
    let _ = http.post("https://api.sendgrid.com/v3/mail/get_send").send().await; //~ send
    let _ = http.post("https://api.anthropic.com/api/oauth/cli/create_api_key").send().await; //~ auth
    let _ = http.post("https://api.anthropic.com/v1/messages").send().await; //~ model
}

async fn query(http: &reqwest::Client, base: &str, what: &str) {
    let _ = http.post(format!("{base}/{what}")).send().await; //~ mutate
}

async fn inserts(http: &reqwest::Client) {
    query(http, "{}", "InsertVector").await;
}

// A document may hold several operations, and one that changes something decides.
async fn documents(http: &reqwest::Client) {
    let both = "query A { a } mutation B { pay { id } }";
    let _ = http.post("https://x.example/graphql").json(&serde_json::json!({ "query": both })).send().await; //~ mutate
    let named = "query mutation_log { mutation { id } }";
    let _ = http.post("https://x.example/graphql").json(&serde_json::json!({ "query": named })).send().await; //~ read
}
