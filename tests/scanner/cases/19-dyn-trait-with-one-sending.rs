// `dyn` trait with one sending impl and one mock. Production impl sends, so SEND; impls under `cfg(test)` do not count
#[async_trait::async_trait]
trait Notifier: Send + Sync { async fn notify(&self, text: &str); }
async fn f(n: std::sync::Arc<dyn Notifier>) { n.notify("paid").await; }
