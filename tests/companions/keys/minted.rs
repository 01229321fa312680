// What a database or a counter makes anew at each attempt; what it had before is right.
use crate::onlyonce::{Ledger, Receipt, keys};
const NEXT: &str = "select nextval('mail_seq')";
async fn go(ledger: &Ledger, id: &str) {
    let key = keys::SendReply { inbound_message_id: id, conversation_step: 1 };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
}

async fn by_sequence(ledger: &Ledger, pool: &sqlx::PgPool, id: &str) -> sqlx::Result<()> {
    let number: i64 = sqlx::query_scalar("select nextval('mail_seq')").fetch_one(pool).await?; //~ attempt-derived-key
    let key = keys::SendReply { inbound_message_id: id, conversation_step: number };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
async fn by_macro(ledger: &Ledger, pool: &sqlx::PgPool, text: &str) -> sqlx::Result<()> {
    let row = sqlx::query!("insert into mails (text) values ($1) returning id", text).fetch_one(pool).await?; //~ attempt-derived-key
    let key = keys::SendReply { inbound_message_id: "a", conversation_step: row.id };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
async fn number(pool: &sqlx::PgPool) -> sqlx::Result<i64> {
    sqlx::query_scalar(NEXT).fetch_one(pool).await //~ attempt-derived-key
}
async fn by_helper(ledger: &Ledger, pool: &sqlx::PgPool) -> sqlx::Result<()> {
    let id = format!("mail-{}", number(pool).await?);
    go(ledger, &id).await;
    Ok(())
}
static SENT: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
async fn by_counter(ledger: &Ledger, id: &str) {
    let number = SENT.fetch_add(1, std::sync::atomic::Ordering::Relaxed); //~ attempt-derived-key
    let key = keys::SendReply { inbound_message_id: id, conversation_step: number };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
}

// Cases 103: stored before, read back; and a row that is there once however often it is asked for.
async fn stored(ledger: &Ledger, pool: &sqlx::PgPool) -> sqlx::Result<()> {
    let id: i64 = sqlx::query_scalar("select id from outbox where due < now() for update skip locked").fetch_one(pool).await?;
    let key = keys::SendReply { inbound_message_id: "a", conversation_step: id };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
async fn once_a_row(ledger: &Ledger, pool: &sqlx::PgPool, event: &str) -> sqlx::Result<()> {
    let sql = "insert into steps (event) values ($1) on conflict (event) do update set event = excluded.event returning id";
    let id: i64 = sqlx::query_scalar(sql).bind(event).fetch_one(pool).await?;
    let key = keys::SendReply { inbound_message_id: event, conversation_step: id };
    let _ = ledger.once(&key, (), |(), _| async { Ok(Receipt::accepted()) }).await;
    Ok(())
}
