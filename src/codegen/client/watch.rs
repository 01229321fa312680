/// What the client does, by the names that spans and metrics have.
#[derive(Clone, Copy)]
enum Step {
    Reserve,
    Send,
    Record,
    Confirm,
    Accept,
    Finish,
}

/// What a step is about: an action's type and key, or an inbound event's source and id.
#[derive(Clone, Copy)]
struct Subject<'a> {
    name: &'a str,
    key: &'a str,
}

impl Key {
    fn subject(&self) -> Subject<'_> {
        Subject {
            name: self.action_type,
            key: &self.text,
        }
    }
}

/// Does a step where those who watch can see it. `word` says how it ended.
async fn watched<T>(
    step: Step,
    subject: Subject<'_>,
    word: impl Fn(&T) -> &'static str,
    future: impl Future<Output = T>,
) -> T {
    let counted = counted(step, subject, &word, future);
    traced(step, subject, &word, counted).await
}

/// How a step ended that the ledger answered with a word.
fn answered(answer: &Result<String, DatabaseError>) -> &'static str {
    answer.as_deref().map_or("error", known)
}

/// The words of the ledger; another comes from a newer one.
fn known(word: &str) -> &'static str {
    const WORDS: [&str; 17] = [
        "absent",
        "already",
        "conflict",
        "duplicate",
        "failed",
        "fenced",
        "finished",
        "fresh",
        "go",
        "go_again",
        "in_progress",
        "paused",
        "reclaimed",
        "recorded",
        "sent",
        "stale",
        "unknown",
    ];
    let found = WORDS.into_iter().find(|known| *known == word);
    found.unwrap_or("unexpected")
}

/// How a call ended.
fn sent(answer: &Result<Receipt, SendError>) -> &'static str {
    match answer {
        Ok(_) => "sent",
        Err(SendError::Rejected(_)) => "rejected",
        Err(SendError::NotAttempted(_)) => "not_attempted",
        Err(SendError::Unknown(_)) => "unknown",
    }
}
