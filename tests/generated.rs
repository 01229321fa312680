//! The generated client: it is what the manifest gives, rustfmt and clippy leave it as it is, and against a real
//! server it does what it promises.
//!
//! `BLESS=1 cargo test --test generated` writes `tests/generated/client.rs` anew.

#[rustfmt::skip]
#[path = "generated/client.rs"]
mod client;
#[path = "generated/compiled.rs"]
mod compiled;
#[path = "generated/events.rs"]
mod events;
#[path = "generated/keys.rs"]
mod keys;
#[path = "generated/sends.rs"]
mod sends;
mod support;
#[path = "generated/world.rs"]
mod world;
