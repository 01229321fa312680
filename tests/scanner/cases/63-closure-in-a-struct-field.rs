// Closure in a struct field or `Box<dyn Fn>`. The closure body is the site. SEND
struct Tool { run: Box<dyn Fn(String) -> futures::future::BoxFuture<'static, ()> + Send> }
fn tool(h: reqwest::Client) -> Tool {
    Tool { run: Box::new(move |u| { let h = h.clone(); Box::pin(async move { let _ = h.post(u).send().await; }) }) } //~ SEND
}
