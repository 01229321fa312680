//! What counts as guarded: each form with a twin that must fire.

mod guards {
    mod bench;
    mod callers;
    mod exceptions;
    mod growth;
    mod keys;
    mod once;
    mod permits;
}
