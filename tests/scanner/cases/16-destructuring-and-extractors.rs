// Destructuring and extractors. SEND
async fn hook(axum::extract::State(App { http, .. }): axum::extract::State<App>, u: String) {
    let _ = http.post(u).send().await; //~ SEND
}
