//! A first manifest from what is found.
