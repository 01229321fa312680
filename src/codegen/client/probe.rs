/// How long a probe may look for one action, so that a provider that hangs does not keep the rest
/// waiting.
const LOOK_FOR: Duration = Duration::from_secs(10);

/// How many actions of the queue are read at a time.
const PROBED_AT_ONCE: i32 = 100;

/// Why a probe could not look.
pub type ProbeError = Box<dyn std::error::Error + Send + Sync>;

/// Looks actions up at a provider, so that what nobody knows can be settled without a person where
/// the provider proves that it has it. [`Ledger::probe`] asks it about everything that is unknown.
///
/// ```ignore
/// impl Probe for Mailer {
///     type Action = keys::OutreachEmail<'static>;
///
///     async fn look_up(&self, action: &Sought) -> Result<Option<Proof>, ProbeError> {
///         let tag = action.key.provider_key(43)?;
///         let found = self.messages_tagged(&tag).await?;
///         Ok(found.first().map(|mail| Proof {
///             message_id: mail.id.clone(),
///             evidence: format!("its log has {} at {}", mail.id, mail.sent_at),
///         }))
///     }
/// }
/// ```
pub trait Probe: Sync {
    /// The type of action that it can look up; a program has a probe for each.
    type Action: Action;

    /// Looks for one action by what the provider was given: the key in the form that the send used
    /// ([`Key::as_str`], [`Key::provider_key`]), or the provider's own id where one is known.
    ///
    /// `Some` only where the provider shows this very act. `None` where it shows none: that proves
    /// nothing, since it may be on its way or in another list, so it stays with the person.
    ///
    /// # Errors
    /// When it could not look: that proves nothing either.
    fn look_up(
        &self,
        action: &Sought,
    ) -> impl Future<Output = Result<Option<Proof>, ProbeError>> + Send;
}

/// An action of which nobody knows what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    /// The key that every attempt at it has in common.
    pub key: Key,
    /// The provider's own id, where one is known.
    pub message_id: Option<String>,
    /// The newest attempt; the first is 1.
    pub attempt: i32,
    /// What was recorded of it.
    pub reason: Option<String>,
}

/// What shows that the provider has an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The provider's own id of it.
    pub message_id: String,
    /// Where that is to be seen, in words for whoever asks later. Not empty.
    pub evidence: String,
}

/// What came of a round of a probe. What is neither confirmed nor absent is in `failed`.
#[derive(Debug, Default)]
#[must_use = "what was not confirmed is still in the queue"]
pub struct Probed {
    /// These stand as sent now.
    pub confirmed: Vec<Key>,
    /// How many the provider does not show. They are still unknown, and wait for a person.
    pub absent: u64,
    /// These could not be looked up or confirmed, and why. They are still in the queue, unless
    /// somebody settled them meanwhile.
    pub failed: Vec<(Key, String)>,
}

impl Ledger {
    /// Asks the probe, once, about each action of its type that is unknown, past its deadline and
    /// not yet swept too, and confirms what it proves. Nothing is sent, and nothing else changes: an
    /// action that the provider does not show stays in the queue. Call it now and then:
    ///
    /// ```ignore
    /// loop {
    ///     let probed = ledger.probe(&mailer).await?;
    ///     tokio::time::sleep(Duration::from_secs(60)).await;
    /// }
    /// ```
    ///
    /// It reads the queue, so its role needs the rights of `ledger_schema_monitor` beside those of
    /// `ledger_schema_app`. A look-up is given up after 10 s, and one that fails does not keep the
    /// others from being tried.
    ///
    /// # Errors
    /// When the ledger cannot be asked; what was confirmed before stays so.
    pub async fn probe<P: Probe>(&self, probe: &P) -> Result<Probed, LedgerError> {
        let mut probed = Probed::default();
        let mut after = String::new();
        loop {
            let ask = || self.ask_unknown(P::Action::TYPE, &after, PROBED_AT_ONCE);
            let sought = persist(ASK_FOR, ask).await?;
            let Some(last) = sought.last() else {
                return Ok(probed);
            };
            last.key.text.clone_into(&mut after);
            for action in sought {
                self.settle(probe, action, &mut probed).await?;
            }
        }
    }

    async fn settle<P: Probe>(
        &self,
        probe: &P,
        action: Sought,
        probed: &mut Probed,
    ) -> Result<(), LedgerError> {
        let looked = tokio::time::timeout(LOOK_FOR, probe.look_up(&action)).await;
        let proof = match looked {
            Ok(Ok(Some(proof))) => proof,
            Ok(Ok(None)) => {
                probed.absent += 1;
                return Ok(());
            }
            Ok(Err(error)) => {
                let error = with_causes(error.as_ref());
                probed.failed.push((action.key, error));
                return Ok(());
            }
            Err(_) => {
                let error = format!("no answer within {} s", LOOK_FOR.as_secs());
                probed.failed.push((action.key, error));
                return Ok(());
            }
        };
        let key = action.key;
        let (id, evidence) = (printable(&proof.message_id), printable(&proof.evidence));
        match self.confirm::<P::Action>(&key.text, &id, &evidence).await {
            Ok(true) => probed.confirmed.push(key),
            Ok(false) => {
                let settled = "settled otherwise meanwhile; the proof is kept as late evidence";
                probed.failed.push((key, settled.to_owned()));
            }
            // The ledger refuses this proof; it may take the next.
            Err(LedgerError::Database(error)) if !may_pass(&error) && is_no_proof(&error) => {
                probed.failed.push((key, with_causes(&error)));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The ledger could be asked, and does not take these words for a proof.
fn is_no_proof(error: &DatabaseError) -> bool {
    is_refusal(error) || sql_state(error).is_some_and(|code| code == "OO003")
}
