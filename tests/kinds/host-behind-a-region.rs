// What is told at run time begins the host: its end says whose it is.
async fn ask(http: &reqwest::Client, region: &str, model: &str, method: &str, words: &str) {
    let url = format!("https://{region}-aiplatform.googleapis.com/v1/projects/p/models/{model}:{method}");
    let _ = http.post(&url).body(words.to_owned()).send().await; //~ model
    let url = format!("https://{region}.hooks.slack.com/services/{model}");
    let _ = http.post(&url).body(words.to_owned()).send().await; //~ send
}
