// Search by POST: last literal path segment in {search, _search, query, _msearch, count, lookup}; embeddings are MODEL. READ (config list, printed in the message when used)
async fn f(http: &reqwest::Client) {
    let _ = http.post("https://api.notion.com/v1/databases/abc/query").send().await; //~ READ
    let _ = http.post(format!("{}/idx/_search", "https://es")).send().await; //~ READ
}
