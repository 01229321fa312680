//! `onlyonce chaos run` against real workers (tests/agents/courier): the correct one passes, and each of twelve wrong
//! ones is caught by name, with the fault that exposes it.
//!
//! `ONLYONCE_KILLS=3000` makes the correct worker's run so many kills long.

mod support;

#[path = "chaos/courier.rs"]
mod courier;
#[path = "chaos/ends.rs"]
mod ends;
#[path = "chaos/mail.rs"]
mod mail;
#[path = "chaos/plan.rs"]
mod plan;
#[path = "chaos/right.rs"]
mod right;
#[path = "chaos/shown.rs"]
mod shown;
#[path = "chaos/verdict.rs"]
mod verdict;
#[path = "chaos/wrong.rs"]
mod wrong;
