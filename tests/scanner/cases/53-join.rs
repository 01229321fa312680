// `join!`, `try_join!`, `futures::select!`. SEND twice
async fn f(h: &reqwest::Client) {
    let _ = tokio::try_join!(h.post("https://a").send(), async { h.put("https://b").send().await }); //~ SEND, SEND
}
