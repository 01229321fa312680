// `tokio::select!` arms: pattern = future, guard, `=>` handler, `else`, `biased;`. SEND (+ TIMEOUT: the losing send was dropped mid-flight)
async fn f(http: &reqwest::Client, u: &str) {
    tokio::select! { biased;
        r = http.post(u).send() => { let _ = r; } //~ SEND
        _ = tokio::time::sleep(std::time::Duration::from_secs(1)), if true => { eprintln!("failed") }
        else => {}
    }
}
