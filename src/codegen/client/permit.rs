/// Shows that a reservation of an action stands, so that a function that takes one may send once.
pub struct Slot<A> {
    key: Key,
    started: Instant,
    budget: Duration,
    action: PhantomData<fn() -> A>,
}

impl<A> Slot<A> {
    /// The key to hand to a provider that takes any text.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The key to hand to a provider that takes one of at most `max_len` characters; the same at
    /// every attempt.
    ///
    /// # Errors
    /// Under 22 characters, where two actions might share one.
    pub fn provider_key(&self, max_len: usize) -> Result<String, KeyTooShort> {
        self.key.provider_key(max_len)
    }

    /// What is left of the send budget, which began before the reservation: the longest that a
    /// request may take.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        self.budget.saturating_sub(self.started.elapsed())
    }
}

impl<A> Clone for Slot<A> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            started: self.started,
            budget: self.budget,
            action: PhantomData,
        }
    }
}

impl<A> fmt::Debug for Slot<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The right to one attempt at an action, used up by recording what came of it. Dropped, it records
/// nothing: the action stays pending until the sweep makes it unknown.
#[must_use = "what came of the attempt has to be recorded"]
pub struct Permit<A> {
    ledger: Ledger,
    token: Uuid,
    slot: Slot<A>,
}

impl<A> Permit<A> {
    /// What shows to a function that this reservation stands.
    #[must_use]
    pub fn slot(&self) -> Slot<A> {
        self.slot.clone()
    }

    /// The provider took it.
    ///
    /// # Errors
    /// When it cannot be recorded, or another attempt holds the action by now.
    pub async fn sent(self, receipt: Receipt) -> Result<(), LedgerError> {
        self.write_receipt(&storable(receipt)).await
    }

    /// The provider refused it for good.
    ///
    /// # Errors
    /// As for [`Permit::sent`].
    pub async fn rejected(self, reason: impl AsRef<str>) -> Result<(), LedgerError> {
        self.write("rejected", None, None, Some(reason.as_ref()))
            .await
    }

    /// It certainly never left us: it may go again.
    ///
    /// # Errors
    /// As for [`Permit::sent`].
    pub async fn not_attempted(self, reason: impl AsRef<str>) -> Result<(), LedgerError> {
        self.write("not_attempted", None, None, Some(reason.as_ref()))
            .await
    }

    /// It may have been done.
    ///
    /// # Errors
    /// As for [`Permit::sent`].
    pub async fn unknown(self, reason: impl AsRef<str>) -> Result<(), LedgerError> {
        self.write("unknown", None, None, Some(reason.as_ref()))
            .await
    }

    /// Records what a call answered, whatever it was.
    ///
    /// # Errors
    /// As for [`Permit::sent`].
    pub async fn record(self, answer: Result<Receipt, SendError>) -> Result<Outcome, LedgerError> {
        match answer {
            Ok(receipt) => {
                let receipt = storable(receipt);
                self.write_receipt(&receipt).await?;
                Ok(Outcome::Sent(receipt))
            }
            Err(SendError::Rejected(reason)) => {
                self.rejected(&reason).await?;
                Ok(Outcome::Failed(Failure { reason }))
            }
            Err(SendError::NotAttempted(reason)) => {
                self.not_attempted(&reason).await?;
                Ok(Outcome::Failed(Failure { reason }))
            }
            Err(SendError::Unknown(reason)) => {
                self.unknown(&reason).await?;
                Ok(Outcome::Unknown)
            }
        }
    }

    async fn send<P, F, Fut>(self, payload: P, send: F) -> Result<Outcome, LedgerError>
    where
        F: FnOnce(P, Slot<A>) -> Fut,
        Fut: Future<Output = Result<Receipt, SendError>>,
    {
        let time_left = self.slot.time_left();
        let answer = if time_left.is_zero() {
            Err(SendError::NotAttempted(
                "the send budget was over before the call".to_owned(),
            ))
        } else {
            let call = tokio::time::timeout(time_left, send(payload, self.slot()));
            let call = async {
                call.await.unwrap_or_else(|_| {
                    Err(SendError::Unknown(
                        "no answer within the send budget".to_owned(),
                    ))
                })
            };
            watched(Step::Send, self.slot.key.subject(), sent, call).await
        };
        self.record(answer).await
    }

    async fn with_payload<P: DeserializeOwned>(
        self,
        kept: Value,
    ) -> Result<Reservation<A, P>, LedgerError> {
        match serde_json::from_value(kept) {
            Ok(payload) => Ok(Reservation::Go(self, payload)),
            Err(error) => {
                let reason = format!("the kept payload is of another shape: {error}");
                self.not_attempted(&reason).await?;
                Ok(Reservation::Failed(Failure { reason }))
            }
        }
    }

    async fn write_receipt(&self, receipt: &Receipt) -> Result<(), LedgerError> {
        let id = receipt.message_id.as_deref();
        match self.write("sent", id, receipt.result.as_ref(), None).await {
            // A result that Postgres cannot keep must not cost the fact that it was sent.
            Err(LedgerError::Unrecorded(_, error)) if is_refusal(&error) => {
                let result = json!({ "not_kept": with_causes(&error) });
                self.write("sent", id, Some(&result), None).await
            }
            other => other,
        }
    }

    async fn write(
        &self,
        outcome: &'static str,
        message_id: Option<&str>,
        result: Option<&Value>,
        reason: Option<&str>,
    ) -> Result<(), LedgerError> {
        let reason = reason.map(printable);
        let found = Found {
            outcome,
            message_id,
            result,
            reason: reason.as_deref(),
        };
        let ask = || self.ledger.ask_record(&self.slot.key, self.token, &found);
        let word = |answer: &Result<String, DatabaseError>| match answer.as_deref() {
            Ok("recorded" | "already") => outcome,
            Ok(word) => known(word),
            Err(_) => "unrecorded",
        };
        let asked = persist(RECORD_FOR, ask);
        let answer = watched(Step::Record, self.slot.key.subject(), word, asked).await;
        settled(answer.map_err(|error| LedgerError::Unrecorded(outcome, error))?)
    }
}

impl<A> fmt::Debug for Permit<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("slot", &self.slot)
            .finish_non_exhaustive()
    }
}
