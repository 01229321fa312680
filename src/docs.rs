//! Key docs.
