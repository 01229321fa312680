//! What the pages say, from a manifest as users write it.
