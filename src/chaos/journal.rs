//! What happened when: deliveries, requests, faults, starts and ends. Append-only; nothing is injected silently.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// When, in milliseconds since the run began.
    pub at_ms: u64,
    /// The event that it belongs to, by the number of its round; none for what belongs to the run.
    pub event: Option<usize>,
    /// Whether it is a fault that was injected.
    pub fault: bool,
    /// What: lower case, no full stop.
    pub text: String,
}

/// A request that the provider accepted: the oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// When, in milliseconds since the run began.
    pub at_ms: u64,
    /// The provider action.
    pub action: String,
    /// Which act it is.
    pub act: String,
    /// The event that it belongs to; none when no event of the plan leads to it.
    pub event: Option<usize>,
    /// The key that it carried.
    pub key: Option<String>,
    /// What has to be the same whenever it is the same act.
    pub payload: String,
    /// The id that the provider gave.
    pub message_id: String,
}

/// The record of a run.
pub(super) struct Journal {
    began: Instant,
    lines: Mutex<Vec<Line>>,
    accepted: Mutex<Vec<Accepted>>,
}

impl Journal {
    pub(super) fn begin() -> Journal {
        Journal { began: Instant::now(), lines: Mutex::default(), accepted: Mutex::default() }
    }

    /// Since the run began.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn note(&self, event: Option<usize>, text: impl Into<String>) {
        self.push(event, false, text.into());
    }

    pub(super) fn fault(&self, event: Option<usize>, text: impl Into<String>) {
        self.push(event, true, text.into());
    }

    fn push(&self, event: Option<usize>, fault: bool, text: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(Line { at_ms: self.now(), event, fault, text });
    }

    /// Adds what the provider accepts, with the id that it gives; nothing is ever taken out.
    pub(super) fn accept(&self, request: Accepted) -> String {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let message_id = format!("msg-{}", accepted.len() + 1);
        accepted.push(Accepted { at_ms: self.now(), message_id: message_id.clone(), ..request });
        message_id
    }

    /// Whether the provider has accepted this act.
    pub(super) fn has(&self, action: &str, act: &str) -> bool {
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.iter().rev().any(|known| known.action == action && known.act == act)
    }

    /// All of it.
    pub(super) fn read(&self) -> (Vec<Line>, Vec<Accepted>) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (lines, self.accepted.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}
