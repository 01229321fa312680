//! What is known of the outside world, from `lints/*.toml`: outbound calls, guards and providers.

pub mod call;
mod embedded;
pub mod lookup;
pub mod provider;
pub mod retries;

pub use call::Catalog;
pub use lookup::{Known, Returned};
pub use provider::Provider;
