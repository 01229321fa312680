// Hand-written loop, the usual form. Loop whose body sends and that continues on the error path. SEND + RETRY
async fn f(h: &reqwest::Client, u: &str) {
    let mut attempt = 0;
    loop {
        match h.post(u).send().await { Ok(_) => break, Err(_) if attempt < 3 => attempt += 1, Err(_) => return } //~ retried-send
    }
}
