//! Twelve ways to get it wrong. Each holds in the case that its author thought of.

use std::collections::HashSet;
use std::error::Error;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::onlyonce::SendError;
use crate::world::{Message, World};

type Done = Result<(), Box<dyn Error + Send + Sync>>;

const RESERVE: &str =
    "INSERT INTO replies (id, status, recipient) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

/// Whoever has held it for two seconds must be dead, it thinks.
const LEASE: &str = "INSERT INTO replies AS r (id, status, recipient) VALUES ($1, 'pending', $2) \
    ON CONFLICT (id) DO UPDATE SET changed_at = clock_timestamp() \
    WHERE r.status = 'pending' AND r.changed_at < clock_timestamp() - interval '2 seconds'";

/// How it goes wrong.
pub enum Mode {
    /// Sends whenever it is asked.
    NoLedger,
    /// Looks whether it was sent, sends, and notes it.
    CheckThenAct,
    /// Reserves under a key that is another at each attempt.
    KeyPerAttempt,
    /// Reserves under a digest of what the model wrote.
    KeyFromBody,
    /// Notes it as sent, and sends.
    RecordBeforeSend,
    /// Takes a timeout for a failure.
    ResendOnTimeout,
    /// Reserves in a transaction that it commits after the send.
    ReserveInTransaction,
    /// Sends anew what stays pending for too long.
    SweepResends,
    /// Takes over what another worker has reserved and seems to have left.
    LeaseExpires,
    /// Asks the model, and looks then whether the message is new.
    DedupeAfterModel,
    /// Remembers what it has answered for as long as it lives.
    InMemory(Mutex<HashSet<String>>),
    /// Leaves it to a provider that takes the key and ignores it.
    ProviderKeyOnly,
}

impl Mode {
    pub fn named(name: &str, world: &World) -> Result<Self, String> {
        Ok(match name {
            "no-ledger" => Self::NoLedger,
            "check-then-act" => Self::CheckThenAct,
            "key-per-attempt" => Self::KeyPerAttempt,
            "key-from-body" => Self::KeyFromBody,
            "record-before-send" => Self::RecordBeforeSend,
            "resend-on-timeout" => Self::ResendOnTimeout,
            "reserve-in-transaction" => Self::ReserveInTransaction,
            "sweep-resends" => {
                tokio::spawn(resend(world.clone()));
                Self::SweepResends
            }
            "lease-expires" => Self::LeaseExpires,
            "dedupe-after-model" => Self::DedupeAfterModel,
            "in-memory" => Self::InMemory(Mutex::default()),
            "provider-key-only" => Self::ProviderKeyOnly,
            other => return Err(format!("there is no mode {other:?}")),
        })
    }

    /// Answers a message as this mode does.
    pub async fn receive(&self, world: &World, message: Message) -> Done {
        let (pool, id) = (&world.pool, message.id.as_str());
        match self {
            Self::NoLedger | Self::ProviderKeyOnly => world.reply(&message, id).await?,
            Self::CheckThenAct => check_then_act(world, &message).await?,
            Self::KeyPerAttempt => {
                let key = Uuid::new_v4().to_string();
                if reserve(pool, &key, "sent", &message).await? {
                    world.reply(&message, &key).await?;
                }
            }
            Self::KeyFromBody => {
                let text = world.text(&message).await?;
                let key = URL_SAFE_NO_PAD.encode(Sha256::digest(&text));
                if reserve(pool, &key, "sent", &message).await? {
                    world.send_text(&message, text, &key).await?;
                }
            }
            Self::RecordBeforeSend => {
                if reserve(pool, id, "sent", &message).await? {
                    world.reply(&message, id).await?;
                }
            }
            Self::ResendOnTimeout => {
                if reserve(pool, id, "unknown", &message).await? {
                    resend_on_timeout(world, &message).await?;
                    settle(pool, id, "sent").await?;
                }
            }
            Self::ReserveInTransaction => {
                let mut transaction = pool.begin().await?;
                let reserved = sqlx::query(AssertSqlSafe(RESERVE))
                    .bind(id)
                    .bind("sent")
                    .bind(&message.from);
                if reserved.execute(&mut *transaction).await?.rows_affected() == 1 {
                    world.reply(&message, id).await?;
                }
                transaction.commit().await?;
            }
            Self::SweepResends => {
                if reserve(pool, id, "pending", &message).await? {
                    world.reply(&message, id).await?;
                    settle(pool, id, "sent").await?;
                }
            }
            Self::LeaseExpires => {
                let leased = sqlx::query(LEASE).bind(id).bind(&message.from);
                if leased.execute(pool).await?.rows_affected() == 1 {
                    world.reply(&message, id).await?;
                    settle(pool, id, "sent").await?;
                }
            }
            Self::DedupeAfterModel => {
                let text = world.text(&message).await?;
                if reserve(pool, id, "unknown", &message).await? {
                    world.send_text(&message, text, id).await?;
                    settle(pool, id, "sent").await?;
                }
            }
            Self::InMemory(seen) => {
                let fresh = seen.lock().is_ok_and(|mut seen| seen.insert(id.to_owned()));
                if fresh {
                    world.reply(&message, id).await?;
                }
            }
        }
        Ok(())
    }
}

async fn reserve(
    pool: &PgPool,
    key: &str,
    status: &str,
    message: &Message,
) -> Result<bool, sqlx::Error> {
    let reserved = sqlx::query(AssertSqlSafe(RESERVE))
        .bind(key)
        .bind(status)
        .bind(&message.from)
        .execute(pool)
        .await?;
    Ok(reserved.rows_affected() == 1)
}

async fn settle(pool: &PgPool, key: &str, status: &str) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE replies SET status = $2, changed_at = clock_timestamp() WHERE id = $1")
        .bind(key)
        .bind(status)
        .execute(pool)
        .await
        .map(drop)
}

async fn check_then_act(world: &World, message: &Message) -> Done {
    let known: Option<String> = sqlx::query_scalar("SELECT id FROM replies WHERE id = $1")
        .bind(&message.id)
        .fetch_optional(&world.pool)
        .await?;
    if known.is_none() {
        world.reply(message, &message.id).await?;
        reserve(&world.pool, &message.id, "sent", message).await?;
    }
    Ok(())
}

async fn resend_on_timeout(world: &World, message: &Message) -> Result<(), SendError> {
    let text = world.text(message).await?;
    let first = world.send_text(message, text.clone(), &message.id).await;
    match first {
        Err(SendError::Unknown(_)) => world.send_text(message, text, &message.id).await,
        other => other,
    }
}

/// What is pending for two seconds must have failed, it thinks.
async fn resend(world: World) {
    const STUCK: &str = "UPDATE replies SET changed_at = clock_timestamp() WHERE status = 'pending' \
        AND changed_at < clock_timestamp() - interval '2 seconds' RETURNING id, recipient";
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let stuck: Vec<(String, String)> = sqlx::query_as(STUCK)
            .fetch_all(&world.pool)
            .await
            .unwrap_or_default();
        for (id, from) in stuck {
            let text = "Where is my order?".to_owned();
            let message = Message { id, from, text };
            if world.reply(&message, &message.id).await.is_ok() {
                let _ = settle(&world.pool, &message.id, "sent").await;
            }
        }
    }
}
