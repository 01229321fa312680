//! Runs every rule's page: the lines marked in its Example must fire, Use instead and Allow must be silent.

mod rules {
    mod code;
    mod page;
    mod sql;
}
