/// An inbound event that is ours to handle. In transaction mode the commit finishes it.
#[derive(Debug)]
#[must_use = "an event that is not finished is claimed again later"]
pub struct Claim {
    event: Option<Event>,
}

#[derive(Debug)]
struct Event {
    ledger: Ledger,
    source: String,
    id: String,
    token: Uuid,
}

impl Claim {
    /// The event has had its effect.
    ///
    /// # Errors
    /// When it cannot be recorded, so that it will be claimed again, or when it was claimed again
    /// already.
    pub async fn finish(self) -> Result<(), LedgerError> {
        let Some(event) = self.event else {
            return Ok(());
        };
        let ask = || (event.ledger).ask_finish(&event.source, &event.id, event.token);
        let subject = Subject {
            name: &event.source,
            key: &event.id,
        };
        let asked = persist(RECORD_FOR, ask);
        settled(watched(Step::Finish, subject, answered, asked).await?)
    }
}
