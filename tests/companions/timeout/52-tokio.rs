// The losing send was dropped mid-flight.
async fn f(http: &reqwest::Client, u: &str) {
    tokio::select! { biased;
        r = http.post(u).send() => { let _ = r; } //~ timeout-as-failure
        _ = tokio::time::sleep(std::time::Duration::from_secs(1)), if true => { eprintln!("failed") }
        else => {}
    }
}
// A task of its own goes on whoever is first.
async fn g(http: reqwest::Client, u: String) {
    let mut task = tokio::spawn(async move { http.post(u).send().await });
    tokio::select! {
        r = &mut task => { let _ = r; }
        _ = tokio::time::sleep(std::time::Duration::from_secs(1)) => { eprintln!("not yet") }
    }
}
