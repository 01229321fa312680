//! What the agent does about a customer's message: plan, charge, reply.

use std::fmt;

use crate::agent::Agent;
use crate::model::Draft;
use crate::onlyonce::{Claim, LedgerError, Outcome, Receipt, keys};
use crate::payments::Order;
use crate::webhook::Message;
use crate::whatsapp::Reply;

/// Answers a claimed message. When that fails, the claim runs out and the message is claimed again; what was
/// done by then is not done a second time.
pub async fn answer(agent: Agent, message: Message, claim: Claim) {
    let answered = match converse(&agent, &message).await {
        Ok(()) => claim.finish().await.map_err(Halt::Ledger),
        Err(halt) => Err(halt),
    };
    if let Err(halt) = answered {
        tracing::warn!(message = message.id, %halt, "not answered yet");
    }
}

async fn converse(agent: &Agent, message: &Message) -> Result<(), Halt> {
    let draft = draft(agent, message).await?;
    if draft.places_order {
        charge(agent, &message.from).await?;
    }
    let reply = Reply {
        to: message.from.clone(),
        text: draft.text,
    };
    let key = keys::SendReply {
        inbound_message_id: &message.id,
        conversation_step: 1,
    };
    done(
        agent
            .ledger
            .once(&key, reply, |reply, slot| agent.whatsapp.send(reply, slot))
            .await?,
    )?;
    Ok(())
}

/// The model is asked once; whoever comes later gets the same draft.
async fn draft(agent: &Agent, message: &Message) -> Result<Draft, Halt> {
    let key = keys::DraftReply {
        inbound_message_id: &message.id,
        conversation_step: 1,
    };
    let ask = agent.ledger.once(&key, message.text.clone(), |text, slot| {
        agent.model.draft(text, slot)
    });
    let receipt = done(ask.await?)?;
    receipt.read().ok().flatten().ok_or(Halt::NoDraft)
}

/// Charges the customer's open cart, if there is one.
async fn charge(agent: &Agent, customer: &str) -> Result<(), Halt> {
    let Some(order) = Order::of(&agent.pool, customer)
        .await
        .map_err(LedgerError::from)?
    else {
        return Ok(());
    };
    let key = keys::ChargeOrder {
        cart_id: order.cart_id,
    };
    done(
        agent
            .ledger
            .once(&key, order, |order, slot| {
                agent.payments.charge(order, slot)
            })
            .await?,
    )?;
    Ok(())
}

/// Why the conversation stops here for now.
#[derive(Debug)]
enum Halt {
    Ledger(LedgerError),
    NotDone(Outcome),
    NoDraft,
}

/// The receipt of what was done, now or before; all else stops the conversation.
fn done(outcome: Outcome) -> Result<Receipt, Halt> {
    match outcome {
        Outcome::Sent(receipt) => Ok(receipt),
        other => Err(Halt::NotDone(other)),
    }
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
            Self::NoDraft => f.write_str("the kept draft cannot be read"),
        }
    }
}
