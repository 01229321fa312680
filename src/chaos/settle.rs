//! The end of a run: every deadline is waited for, everything comes once more, and the ledger is read.

use std::sync::PoisonError;
use std::time::Instant;

use postgres::Client;

use crate::chaos::book::{self, Said};
use crate::chaos::drive::{Drive, QUIET, blocking};
use crate::chaos::faults::Signal;
use crate::chaos::plan::Book;
use crate::chaos::verdict::{self, Evidence, Expected};
use crate::diagnostic::Fault;

impl Drive<'_> {
    /// Waits until every deadline is over, delivers everything once more, and ends the worker; what the ledger says.
    pub(super) async fn settle(&mut self) -> Result<Option<Said>, Fault> {
        tokio::time::sleep(self.plan.settle).await;
        self.sweep().await?;
        self.up().await?;
        self.journal.note(None, "every event is delivered once more");
        for at in 0..self.events.len() {
            let delivery = self.deliver(at);
            self.answered(at, delivery).await;
        }
        self.over().await?;
        self.worker.signal(Signal::Terminate);
        self.worker.end(self.plan.worker.stop_within).await;
        self.keeper.worker(None);
        let said = self.said().await?;
        if said.is_none() || !self.is_open(said.as_ref()) {
            return Ok(said);
        }
        // The worker has ended with something in hand: its deadline shows where that goes.
        tokio::time::sleep(self.plan.settle).await;
        self.said().await
    }

    /// Waits until nothing is in hand any more, for as long as the worker may take to act.
    async fn over(&self) -> Result<(), Fault> {
        let limit = Instant::now() + self.plan.worker.acts_within;
        loop {
            self.quiet().await;
            if Instant::now() > limit || !self.is_open(self.said().await?.as_ref()) {
                return Ok(());
            }
            tokio::time::sleep(QUIET).await;
        }
    }

    /// Whether the ledger has something in hand, or an event may still be.
    fn is_open(&self, said: Option<&Said>) -> bool {
        let expected: Vec<Expected> = self.events.iter().flat_map(|event| event.expected.iter().cloned()).collect();
        let (_, accepted) = self.journal.read();
        verdict::is_open(&Evidence {
            expected: &expected,
            accepted: &accepted,
            entries: said.map(|said| said.entries.as_slice()),
            waiting: said.map(|said| said.waiting.as_slice()).unwrap_or_default(),
            lines: &[],
        })
    }

    /// What the ledger says, swept.
    async fn said(&self) -> Result<Option<Said>, Fault> {
        self.sweep().await?;
        self.with_ledger(book::read).await.map(Option::flatten)
    }

    /// Marks what is pending past its deadline unknown.
    pub(super) async fn sweep(&self) -> Result<(), Fault> {
        self.with_ledger(book::sweep).await.map(|_| ())
    }

    /// Does this with the ledger and a connection to it; nothing where there is none.
    async fn with_ledger<T: Send + 'static>(
        &self,
        work: fn(&Book, &mut Client) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let Some(server) = self.server.clone().filter(|_| self.plan.ledger != Book::None) else { return Ok(None) };
        let book = self.plan.ledger.clone();
        let done = blocking(move || {
            let mut client = server.lock().unwrap_or_else(PoisonError::into_inner).client()?;
            work(&book, &mut client)
        });
        done.await.map(Some)
    }
}
