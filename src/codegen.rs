//! The generated client.
