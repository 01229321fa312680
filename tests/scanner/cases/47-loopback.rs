// Loopback, unix socket or own-infrastructure host literal. NOT-OUTBOUND by default for loopback literals; config `internal_hosts`; otherwise SEND
async fn f(http: &reqwest::Client) {
    let _ = http.post("http://127.0.0.1:8080/api/agents").send().await;
}
