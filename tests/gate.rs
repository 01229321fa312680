//! The gate that teams keep switched on: the baseline that only shrinks, and what is new since a revision.

mod gate {
    mod baseline;
    mod bench;
    mod diff;
    mod hostile;
}
