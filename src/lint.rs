//! SQL rules over the replayed history.
