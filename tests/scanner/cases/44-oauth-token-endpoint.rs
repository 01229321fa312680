// OAuth token endpoint. SEND of class "auth": exempt by default, but a retried authorization-code exchange is worth a note
async fn f(http: &reqwest::Client, form: Vec<(String, String)>) {
    let _ = http.post("https://oauth2.googleapis.com/token").form(&form).send().await; //~ AUTH
}
