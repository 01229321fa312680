use std::marker::PhantomData;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use uuid::Uuid;

/// How long an answer from the ledger is waited for through lost connections, before nothing is sent.
const ASK_FOR: Duration = Duration::from_secs(3);

/// How long an outcome is offered to the ledger through lost connections, before it is left to the
/// sweep, which makes it unknown.
const RECORD_FOR: Duration = Duration::from_secs(20);

impl Ledger {
    /// Reserves the action, calls `send` with the payload that is kept, and records what it answers;
    /// when it was done before, gives the receipt of that time and calls nothing.
    ///
    /// `send` is given up when the send budget is over: what it did is then unknown. Dropping the
    /// future records nothing: the action stays pending until the sweep makes it unknown.
    ///
    /// # Errors
    /// [`LedgerError::Unrecorded`] and [`LedgerError::Fenced`] come after the call; with every other
    /// one nothing was called. None of them makes it right to send by another way.
    pub async fn once<A, P, F, Fut>(
        &self,
        action: &A,
        payload: P,
        send: F,
    ) -> Result<Outcome, LedgerError>
    where
        A: Action,
        P: Serialize + DeserializeOwned,
        F: FnOnce(P, Slot<A>) -> Fut,
        Fut: Future<Output = Result<Receipt, SendError>>,
    {
        match self.reserve(action, payload).await? {
            Reservation::Go(permit, kept) => permit.send(kept, send).await,
            Reservation::InProgress => Ok(Outcome::InProgress),
            Reservation::Sent(receipt) => Ok(Outcome::Sent(receipt)),
            Reservation::Failed(failure) => Ok(Outcome::Failed(failure)),
            Reservation::Unknown => Ok(Outcome::Unknown),
            Reservation::Paused => Ok(Outcome::Paused),
        }
    }

    /// Reserves the action. The reservation is committed when this answers, so it cannot run inside
    /// a transaction. [`Ledger::once`] does this and all that follows.
    ///
    /// # Errors
    /// Every error means: do not send.
    pub async fn reserve<A, P>(
        &self,
        action: &A,
        payload: P,
    ) -> Result<Reservation<A, P>, LedgerError>
    where
        A: Action,
        P: Serialize + DeserializeOwned,
    {
        let started = Instant::now();
        let key = action.key();
        let payload = serde_json::to_value(payload).map_err(LedgerError::Payload)?;
        refuse_nul(&payload)?;
        let token = Uuid::new_v4();
        // Asking again after a lost acknowledgement is safe: the ledger knows the token.
        let ask = || self.ask_reserve(&key, token, &payload);
        let word = |answer: &Result<Answer, DatabaseError>| {
            answer.as_ref().map_or("error", |it| known(&it.verdict))
        };
        let asked = persist(ASK_FOR, ask);
        let answer = watched(Step::Reserve, key.subject(), word, asked).await?;
        match answer.verdict.as_str() {
            "go" | "go_again" => {
                let budget = answer.send_budget;
                let slot = Slot {
                    key,
                    started,
                    budget,
                    action: PhantomData,
                };
                let permit = Permit {
                    ledger: self.clone(),
                    token,
                    slot,
                };
                permit.with_payload(answer.payload).await
            }
            "in_progress" => Ok(Reservation::InProgress),
            "sent" => {
                let Answer {
                    message_id, result, ..
                } = answer;
                Ok(Reservation::Sent(Receipt { message_id, result }))
            }
            "failed" => {
                let reason = answer.reason.unwrap_or_default();
                Ok(Reservation::Failed(Failure { reason }))
            }
            "unknown" => Ok(Reservation::Unknown),
            "paused" => Ok(Reservation::Paused),
            _ => Err(LedgerError::Unexpected(answer.verdict)),
        }
    }

    /// Settles an action that was found at the provider: by the status event that carries its key,
    /// or by looking it up. `key` is the canonical text. Pending and unknown become sent; nothing
    /// else changes. Tells whether it stands as sent now.
    ///
    /// # Errors
    /// When the ledger cannot be asked.
    pub async fn confirm<A: Action>(
        &self,
        key: &str,
        message_id: &str,
        evidence: &str,
    ) -> Result<bool, LedgerError> {
        let ask = || self.ask_confirm(A::TYPE, key, message_id, evidence);
        let name = A::TYPE;
        let asked = persist(RECORD_FOR, ask);
        let answer = watched(Step::Confirm, Subject { name, key }, answered, asked).await?;
        match answer.as_str() {
            "recorded" | "already" => Ok(true),
            "absent" | "fenced" => Ok(false),
            _ => Err(LedgerError::Unexpected(answer)),
        }
    }

    /// At most `max_rows` actions that may go again and whose job may be gone.
    ///
    /// # Errors
    /// When the ledger cannot be asked.
    pub async fn released(&self, max_rows: i32) -> Result<Vec<Released>, LedgerError> {
        Ok(self.ask_released(max_rows).await?)
    }

    /// Accepts an event of a source in claim mode: committed when this answers.
    ///
    /// # Errors
    /// Every error means: answer the delivery with a failure, so that it comes again.
    pub async fn accept_event(
        &self,
        source: &str,
        event_id: &str,
        body: &Value,
        occurred_at: Option<SystemTime>,
    ) -> Result<Accepted, LedgerError> {
        if sources::with_its_effect(source) {
            return Err(LedgerError::WrongMode);
        }
        refuse_nul(body)?;
        let arrival = Arrival::new(source, event_id, body, occurred_at);
        let asked = persist(ASK_FOR, || self.ask_accept(&arrival));
        let verdict = watched(Step::Accept, arrival.subject(), answered, asked).await?;
        let event = Event {
            ledger: self.clone(),
            source: source.into(),
            id: event_id.into(),
            token: arrival.token,
        };
        Accepted::read(verdict, Claim { event: Some(event) })
    }

    /// Accepts an event of a source in transaction mode: it counts as accepted when `transaction`
    /// commits, together with its effect, and is free again when that rolls back.
    ///
    /// # Errors
    /// Every error means: roll back, and answer the delivery with a failure.
    pub async fn accept_event_in(
        &self,
        transaction: &mut PgTransaction<'_>,
        source: &str,
        event_id: &str,
        body: &Value,
        occurred_at: Option<SystemTime>,
    ) -> Result<Accepted, LedgerError> {
        if !sources::with_its_effect(source) {
            return Err(LedgerError::WrongMode);
        }
        refuse_nul(body)?;
        let arrival = Arrival::new(source, event_id, body, occurred_at);
        let asked = Self::ask_accept_in(transaction, &arrival);
        let verdict = watched(Step::Accept, arrival.subject(), answered, asked).await?;
        Accepted::read(verdict, Claim { event: None })
    }
}
