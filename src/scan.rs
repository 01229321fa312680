//! The code scan: stages that never call each other, each a pure function of the one before.
//!
//! ```text
//! discover: folder -> packages and files       summary: one file -> FileSummary (in parallel)
//! index: summaries -> names that resolve       types: index + catalog -> types of expressions, call targets
//! graph: call edges and entry points           sinks: types + catalog + graph -> outbound calls
//! guards: sinks + graph -> Sites with verdicts rules: Sites -> findings
//! ```

pub mod ir;
pub mod discover;
pub mod summary;
pub mod index;
pub mod types;
pub mod site;
pub mod graph;
pub mod sinks;
pub mod guards;
pub mod rules;
