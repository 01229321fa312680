// Model call over raw HTTP (the most frequent POST in the corpora). URL recipe. MODEL
async fn f(http: &reqwest::Client, b: String) {
    let _ = http.post("https://api.anthropic.com/v1/messages").body(b).send().await; //~ MODEL
}
