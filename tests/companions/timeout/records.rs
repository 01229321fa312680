// The ledger's words and the team's own.
use crate::onlyonce::{Permit, Receipt, SendError, Slot, keys};
struct Db;
enum Status { Sent, Failed, Unknown }
impl Db { async fn set_status(&self, _: i64, _: Status) {} async fn mark_failed(&self, _: i64) {} }
struct Metrics;
impl Metrics { fn failed(&self) {} }

async fn by_permit(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    match h.post("https://x").send().await { //~ timeout-as-failure
        Ok(_) => permit.sent(Receipt::accepted()).await,
        Err(e) => permit.not_attempted(e.to_string()).await,
    }
}

async fn by_permit_right(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    match h.post("https://x").send().await {
        Ok(_) => permit.sent(Receipt::accepted()).await,
        Err(e) if e.is_connect() => permit.not_attempted(e.to_string()).await,
        Err(e) => permit.unknown(e.to_string()).await,
    }
}

async fn by_error(h: &reqwest::Client, _slot: Slot<keys::SendReply<'_>>) -> Result<Receipt, SendError> {
    h.post("https://x").send().await.map_err(|e| SendError::NotAttempted(e.to_string()))?; //~ timeout-as-failure
    Ok(Receipt::accepted())
}

fn refused(e: reqwest::Error) -> SendError { SendError::Rejected(e.to_string()) }
async fn by_function(h: &reqwest::Client, _slot: Slot<keys::SendReply<'_>>) -> Result<Receipt, SendError> {
    h.post("https://x").send().await.map_err(refused)?; //~ timeout-as-failure
    Ok(Receipt::accepted())
}

async fn by_error_right(h: &reqwest::Client, _slot: Slot<keys::SendReply<'_>>) -> Result<Receipt, SendError> {
    let answer = h.post("https://x").send().await?;
    if answer.status().is_client_error() {
        return Err(SendError::Rejected("refused".into()));
    }
    Ok(Receipt::accepted())
}

async fn by_status(h: &reqwest::Client, db: &Db) {
    if let Err(e) = send(h).await {
        tracing::warn!("{e}");
        db.set_status(1, Status::Failed).await;
    } else {
        db.set_status(1, Status::Sent).await;
    }
}
async fn send(h: &reqwest::Client) -> reqwest::Result<()> {
    h.post("https://x").send().await.map(drop) //~ timeout-as-failure
}

async fn by_early_return(h: &reqwest::Client, db: &Db) {
    let Ok(answer) = h.post("https://x").send().await else { //~ timeout-as-failure
        db.mark_failed(1).await;
        return;
    };
    drop(answer);
}

async fn right(h: &reqwest::Client, db: &Db, metrics: &Metrics) {
    match h.post("https://x").send().await {
        Ok(_) => db.set_status(1, Status::Sent).await,
        Err(_) => { metrics.failed(); db.set_status(1, Status::Unknown).await }
    }
    let _ = h.get("https://x").send().await.map_err(|_| db.mark_failed(1));
}

async fn before(h: &reqwest::Client, db: &Db, ready: bool) {
    if !ready { db.mark_failed(1).await; return }
    let _ = h.post("https://x").send().await;
}

async fn turned_down(h: &reqwest::Client, db: &Db) -> reqwest::Result<()> {
    let answer = h.post("https://x").send().await?;
    if answer.status() == reqwest::StatusCode::TOO_MANY_REQUESTS { db.mark_failed(1).await; }
    Ok(())
}
