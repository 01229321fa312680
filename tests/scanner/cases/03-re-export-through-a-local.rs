// Re-export through a local module (follow `pub use` to a fixpoint, workspace-wide). SEND
mod net { pub use reqwest::Client; pub mod prelude { pub use super::Client as HttpClient; } }
use net::prelude::HttpClient;
async fn f(c: HttpClient, u: &str) {
    let _ = c.put(u).send().await; //~ SEND
}
