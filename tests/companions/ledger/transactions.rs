// A transaction that is open across a reservation or a send.
use crate::onlyonce::{Ledger, keys};
async fn open(ledger: &Ledger, pool: &sqlx::PgPool, h: &reqwest::Client, key: keys::SendReply<'_>) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    sqlx::query("insert into orders values (1)").execute(&mut *tx).await.map_err(drop)?;
    ledger.once(&key, (), |(), _slot| async move { h.post("https://x").send().await }).await.map_err(drop)?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)?;
    h.post("https://y").send().await.map_err(drop).map(drop)
}
async fn raw(pool: &sqlx::PgPool) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    sqlx::query("select * from onlyonce.reserve($1)").execute(&mut *tx).await.map_err(drop)?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)
}
async fn closed(ledger: &Ledger, pool: &sqlx::PgPool, h: &reqwest::Client, key: keys::SendReply<'_>) -> Result<(), ()> {
    {
        let mut tx = pool.begin().await.map_err(drop)?;
        sqlx::query("insert into orders values (1)").execute(&mut *tx).await.map_err(drop)?;
        if false { tx.rollback().await.map_err(drop)?; return Ok(()) }
        tx.commit().await.map_err(drop)?;
    }
    ledger.once(&key, (), |(), _slot| async move { h.post("https://x").send().await }).await.map_err(drop)?;
    Ok(())
}
// A helper that is given the transaction works on it; one that sends itself while it is open holds it.
async fn stored(pool: &sqlx::PgPool, h: &reqwest::Client) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    store(&mut tx, h).await?;
    tx.commit().await.map_err(drop)
}
async fn store(_: &mut sqlx::PgConnection, h: &reqwest::Client) -> Result<(), ()> { refreshed(h).await }
async fn refreshed(h: &reqwest::Client) -> Result<(), ()> { h.post("https://x").send().await.map_err(drop).map(drop) }
async fn told(pool: &sqlx::PgPool, h: &reqwest::Client) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    tell(&mut tx, h).await?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)
}
async fn tell(_: &mut sqlx::PgConnection, h: &reqwest::Client) -> Result<(), ()> {
    h.post("https://x").send().await.map_err(drop).map(drop)
}
