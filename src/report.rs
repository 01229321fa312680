//! Findings as text for people and tools.
