// SDK with retries on by default. SEND + RETRY (built-in); silent once `RetryConfig::None` / `RetryConfig::disabled()` is set on that client
async fn f(gh: &octocrab::Octocrab) {
    let _ = gh.issues("o", "r").create_comment(1, "done").await; //~ retried-send
}
