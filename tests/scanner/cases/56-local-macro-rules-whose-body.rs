// Local `macro_rules!` whose body sends; the call site shows only arguments. Analyse the transcriber tokens, attribute to each call. SEND at the call
macro_rules! post { ($c:expr, $u:expr) => { $c.post($u).send().await }; }
async fn f(h: &reqwest::Client) {
    let _ = post!(h, "https://x"); //~ SEND
}
