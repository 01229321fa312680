//! Findings and faults as text for people and tools. Nothing here prints.

pub mod human;
pub mod json;
