// GraphQL query by POST: a literal that starts with `query` or `{`. READ
async fn f(http: &reqwest::Client) {
    let q = serde_json::json!({"query": "query { viewer { login } }"});
    let _ = http.post("https://api.github.com/graphql").json(&q).send().await; //~ READ
}
