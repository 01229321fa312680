// Guard taken and dropped before the send, or its verdict ignored.
use crate::onlyonce::{Ledger, Permit, Receipt, Reservation, keys};
async fn dropped(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let _ = ledger.reserve(&key, ()).await; //~ ignored-verdict
    let _ = h.post("https://x").send().await;
}
async fn unread(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let _verdict = ledger.reserve(&key, ()).await; //~ ignored-verdict
    let _ = h.post("https://x").send().await;
}
async fn went_well(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    if ledger.reserve(&key, ()).await.is_ok() { //~ ignored-verdict
        let _ = h.post("https://x").send().await;
    }
    if let Ok(_) = ledger.reserve(&key, ()).await { //~ ignored-verdict
        let _ = h.post("https://x").send().await;
    }
}
async fn asked(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) {
    let verdict = ledger.reserve(&key, ()).await;
    if let Ok(Reservation::Go(permit, ())) = verdict {
        let _ = h.post("https://x").send().await;
        permit.sent(Receipt::accepted()).await;
    }
}
async fn given_on(ledger: &Ledger, key: keys::SendReply<'_>) -> Result<Reservation<keys::SendReply<'_>, ()>, ()> {
    ledger.reserve(&key, ()).await.map_err(drop)
}
// What is left at the end of the closure is left.
async fn arms(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>, cold: bool) -> Result<(), ()> {
    match ledger.reserve(&key, ()).await {
        Ok(Reservation::Go(permit, ())) => {
            if cold { return Ok(()) }
            match h.post("https://x").send().await { //~ unrecorded-send
                Ok(_) => permit.sent(Receipt::accepted()).await,
                Err(e) => permit.unknown(e.to_string()).await,
            }
        }
        _ => {}
    }
    Ok(())
}
async fn forgotten(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    match h.post("https://x").send().await { //~ unrecorded-send
        Ok(_) => permit.sent(Receipt::accepted()).await,
        Err(_) => {}
    }
}
async fn let_fall(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    let _ = h.post("https://x").send().await; //~ unrecorded-send
    drop(permit);
}
async fn handed_on(h: &reqwest::Client, permit: Permit<keys::SendReply<'_>>) {
    forgotten(h, permit).await;
}
async fn in_each_arm(ledger: &Ledger, h: &reqwest::Client, key: keys::SendReply<'_>) -> Result<(), ()> {
    let Reservation::Go(permit, ()) = ledger.reserve(&key, ()).await.map_err(drop)? else { return Ok(()) };
    let answer = match h.post("https://x").send().await {
        Ok(answer) => answer,
        Err(e) => { permit.unknown(e.to_string()).await; return Err(()) }
    };
    if answer.status().is_client_error() { permit.rejected("no".to_owned()).await; return Ok(()) }
    permit.sent(Receipt::accepted()).await;
    Ok(())
}
