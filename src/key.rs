//! The canonical text of a key.
