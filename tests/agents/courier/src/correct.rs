//! Through the ledger: the message is claimed before anything is planned, the model is asked once, the reply goes once.

use std::fmt;

use serde_json::json;

use crate::onlyonce::{Accepted, Claim, LedgerError, Outcome, Receipt, keys, sources};
use crate::onlyonce::{Ledger, SendError};
use crate::world::{Message, Reply, World};

/// Takes a delivery: committed when this answers.
pub async fn receive(world: &World, message: Message) -> Result<(), LedgerError> {
    let ledger = Ledger::new(world.pool.clone());
    let accepted = ledger
        .accept_event(sources::MESSAGES, &message.id, &json!(message), None)
        .await?;
    if let Accepted::Fresh(claim) | Accepted::Reclaimed(claim) = accepted {
        let world = world.clone();
        let answering = world.begin();
        tokio::spawn(async move {
            world.takes_its_time().await;
            // When that fails, the claim runs out and the message is claimed again, or a person sees it.
            if let Err(halt) = answer(&world, &ledger, &message, claim).await {
                eprintln!("{} is not answered yet: {halt}", message.id);
            }
            drop(answering);
        });
    }
    Ok(())
}

async fn answer(
    world: &World,
    ledger: &Ledger,
    message: &Message,
    claim: Claim,
) -> Result<(), Halt> {
    let text = draft(world, ledger, message).await?;
    let reply = Reply {
        to: message.from.clone(),
        text,
    };
    let key = keys::SendReply {
        inbound_message_id: &message.id,
    };
    let sent = ledger.once(&key, reply, async |reply, slot| {
        let id = world
            .send(&reply, slot.key().as_str(), slot.time_left())
            .await?;
        Ok(Receipt::id(id))
    });
    match sent.await? {
        // The ledger holds what came of it; what is unknown waits there for a person.
        Outcome::Sent(_) | Outcome::Failed(_) | Outcome::Unknown => Ok(claim.finish().await?),
        other => Err(Halt::NotDone(other)),
    }
}

/// The model is asked once; whoever comes later gets the same draft.
async fn draft(world: &World, ledger: &Ledger, message: &Message) -> Result<String, Halt> {
    let key = keys::DraftReply {
        inbound_message_id: &message.id,
    };
    let drafted = ledger.once(&key, message.text.clone(), async |_, slot| {
        let text = world.draft(message, slot.time_left()).await?;
        Ok::<_, SendError>(Receipt::result(json!(text)))
    });
    match drafted.await? {
        Outcome::Sent(receipt) => receipt
            .read()
            .ok()
            .flatten()
            .ok_or(Halt::NotDone(Outcome::Unknown)),
        other => Err(Halt::NotDone(other)),
    }
}

/// Why the answer stops here for now.
#[derive(Debug)]
enum Halt {
    Ledger(LedgerError),
    NotDone(Outcome),
}

impl From<LedgerError> for Halt {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ledger(error) => error.fmt(f),
            Self::NotDone(outcome) => write!(f, "not done: {outcome:?}"),
        }
    }
}
