//! Reports against what reads them: schemas, limits of code scanning, the types that rust-analyzer parses with.

mod report {
    mod cargo;
    mod github;
    mod junit;
    mod sample;
    mod sarif;
}
