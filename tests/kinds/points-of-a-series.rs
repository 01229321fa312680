//~ depends reqwest
// Points of a time series are kept by a store, and nobody gets them.
async fn send_points(http: &reqwest::Client, base: &str, lines: String) {
    let _ = http.post(format!("{base}/api/v2/write?bucket=x")).body(lines.clone()).send().await; //~ mutate
    let _ = http.post(format!("{base}/api/v1/write")).body(lines).send().await; //~ mutate
}
