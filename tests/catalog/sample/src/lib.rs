//! A published crate in small, for the test of the check; it is read and never built.

mod inner;
pub mod prelude;

pub use inner::{Client, Message};

/// What derefs has the methods of what it derefs to.
pub struct Wrapped(Client);

impl std::ops::Deref for Wrapped {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.0
    }
}

pub struct Socket;

impl futures::Sink<String> for Socket {
    type Error = ();
}

pub trait Sender {
    fn publish(&self, topic: &str);
}

cfg_if! {
    if #[cfg(unix)] {
        pub async fn fetch(url: &str) -> String {}
    }
}
