//! What is known of the outside world, from `lints/*.toml`: outbound calls, guards and providers.

pub mod call;
pub mod provider;

pub use call::Catalog;
pub use provider::Provider;
