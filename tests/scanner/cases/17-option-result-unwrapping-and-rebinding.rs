// Option/Result unwrapping and rebinding. SEND
impl Svc { async fn go(&self, u: &str) -> Option<()> {
    let c = self.client.as_ref()?.clone();
    if let Ok(r) = c.post(u).send().await { drop(r) } //~ SEND
    Some(())
} }
