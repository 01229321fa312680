// A transaction that is open across a reservation or a send, through helpers.
use crate::onlyonce::{Ledger, keys};
async fn reserve(tx: &mut sqlx::Transaction<'_, sqlx::Postgres>, key: &str) -> Result<(), ()> {
    sqlx::query("select * from onlyonce.reserve($1)").bind(key).execute(&mut **tx).await.map(drop).map_err(drop)
}
async fn book(tx: &mut sqlx::Transaction<'_, sqlx::Postgres>, key: &str) -> Result<(), ()> { reserve(tx, key).await }
async fn tell(h: &reqwest::Client) -> Result<(), ()> { h.post("https://x").send().await.map(drop).map_err(drop) }

async fn by_helper(pool: &sqlx::PgPool) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    reserve(&mut tx, "a").await?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)
}
async fn two_deep(pool: &sqlx::PgPool) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    book(&mut tx, "a").await?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)
}
async fn a_send(pool: &sqlx::PgPool, h: &reqwest::Client) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    sqlx::query("insert into orders values (1)").execute(&mut *tx).await.map_err(drop)?;
    tell(h).await?; //~ reserve-in-transaction
    tx.commit().await.map_err(drop)
}
async fn afterwards(pool: &sqlx::PgPool, h: reqwest::Client) -> Result<(), ()> {
    let mut tx = pool.begin().await.map_err(drop)?;
    sqlx::query("insert into orders values (1)").execute(&mut *tx).await.map_err(drop)?;
    let task = h.clone();
    tokio::spawn(async move { let _ = tell(&task).await; });
    tx.commit().await.map_err(drop)?;
    tell(&h).await
}
