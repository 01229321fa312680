// Channel behind a field, untyped locally: `.send(x)` with an argument and an unresolved receiver is not a finding. NOT-OUTBOUND
impl Hub { async fn push(&self, m: Event) {
    for s in self.subscribers.lock().await.values() { let _ = s.send(m.clone()); }
} }
