// Method from bytes. Literal known: SEND; run-time value (generic HTTP tool of an agent): SEND, the tool can write
async fn tool(http: &reqwest::Client, verb: &str, u: &str) -> Option<()> {
    let m = reqwest::Method::from_bytes(verb.as_bytes()).ok()?;
    http.request(m, u).send().await.ok().map(drop) //~ SEND
}
