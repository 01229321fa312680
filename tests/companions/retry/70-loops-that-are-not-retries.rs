// Loops that are not retries: one send per item, pagination. SEND / READ, no RETRY
async fn f(h: &reqwest::Client, us: &[String]) {
    for u in us { let _ = h.post(u).send().await; } 
    let mut next = Some(String::new());
    while let Some(u) = next.take() { let _ = h.get(u).send().await; } 
}
