// `build()` then execute elsewhere; `build_split()` too. SEND
async fn f(http: &reqwest::Client, u: &str) -> reqwest::Result<()> {
    let r = http.post(u).build()?;
    http.execute(r).await.map(drop) //~ SEND
}
