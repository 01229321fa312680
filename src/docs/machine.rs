//! The states of an action as a picture.

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Start,
    Pending,
    Sent,
    Unknown,
    Failed,
}

impl State {
    /// Its name in the ledger; empty for the start.
    pub(super) fn name(self) -> &'static str {
        match self {
            State::Start => "",
            State::Pending => "pending",
            State::Sent => "sent",
            State::Unknown => "unknown",
            State::Failed => "failed",
        }
    }
}

/// A step from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub from: State,
    pub to: State,
    /// What takes it there, in the words of the page.
    pub words: &'static str,
}

/// The states of an action and the steps between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Machine {
    /// In the order in which they are told.
    pub steps: Vec<Step>,
    /// What the picture shows, for those who cannot see it.
    pub title: &'static str,
}
