// Spawned task: a guard around the spawn does not cover the send unless it moves in. SEND
async fn f(once: Once, http: reqwest::Client) {
    once.run("k", || async move {
        tokio::spawn(async move { let _ = http.post("https://x").send().await; }); //~ SEND
    }).await;
}
