//! Events that come in: each has its effect once.

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::gate::Gate;
use crate::ledger::{Ledger, ask, on_every_major, pass_deadline, reserve};

async fn accept(client: &Client, source: &str, id: &str, body: &Value) -> String {
    accept_as(client, source, id, Uuid::new_v4(), body).await
}

async fn accept_as(client: &Client, source: &str, id: &str, token: Uuid, body: &Value) -> String {
    ask(client, "accept_event", &[&source, &id, &token, body]).await.unwrap()
}

#[tokio::test]
async fn one_event_three_times_in_turn_is_fresh_once() {
    on_every_major(three_in_turn).await;
}

pub(crate) async fn three_in_turn(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let body = json!({"text": "hi", "n": 1});
    let token = Uuid::new_v4();
    assert_eq!(accept_as(&worker, "claimed", "e", token, &body).await, "fresh");
    assert_eq!(accept_as(&worker, "claimed", "e", token, &body).await, "fresh", "its acknowledgement was lost");
    assert_eq!(accept(&worker, "claimed", "e", &body).await, "in_progress");
    let finish = async |token: Uuid| ask(&worker, "finish_event", &[&"claimed", &"e", &token]).await.unwrap();
    assert_eq!(finish(Uuid::new_v4()).await, "fenced");
    assert_eq!((finish(token).await.as_str(), finish(token).await.as_str()), ("finished", "already"));
    assert_eq!(accept(&worker, "claimed", "e", &json!({"n": 1.0, "text": "hi"})).await, "duplicate");

    let verdicts = [
        accept(&worker, "joined", "e", &body).await,
        accept(&worker, "joined", "e", &body).await,
        accept(&worker, "joined", "e", &body).await,
    ];
    assert_eq!(verdicts, ["fresh", "duplicate", "duplicate"]);
    assert_eq!((ledger.hits("claimed", "duplicate").await, ledger.hits("joined", "duplicate").await), (2, 2));
}

#[tokio::test]
async fn one_event_three_times_at_once_is_fresh_once() {
    on_every_major(three_at_once).await;
}

pub(crate) async fn three_at_once(ledger: &Ledger) {
    for (source, other) in [("claimed", "in_progress"), ("joined", "duplicate")] {
        let mut accepting = JoinSet::new();
        for _ in 0..3 {
            let mut worker = ledger.worker().await;
            accepting.spawn(async move {
                let transaction = worker.transaction().await.unwrap();
                let verdict = accept(transaction.client(), source, "e", &json!({})).await;
                transaction.commit().await.unwrap();
                verdict
            });
        }
        let mut verdicts = accepting.join_all().await;
        verdicts.sort_by_key(|verdict| verdict != "fresh");
        assert_eq!(verdicts, ["fresh", other, other], "{source}");
    }
}

#[tokio::test]
async fn one_event_three_times_at_once_has_one_effect() {
    on_every_major(one_effect).await;
}

/// The job is written in the transaction that accepts the event; whoever does the job reserves.
pub(crate) async fn one_effect(ledger: &Ledger) {
    ledger.database.run("CREATE TABLE public.jobs (key text); GRANT ALL ON public.jobs TO onlyonce_app").await;
    let mut accepting = JoinSet::new();
    for _ in 0..3 {
        let mut worker = ledger.worker().await;
        accepting.spawn(async move {
            let transaction = worker.transaction().await.unwrap();
            if accept(transaction.client(), "joined", "e", &json!({})).await == "fresh" {
                transaction.batch_execute("INSERT INTO public.jobs VALUES ('from-e')").await.unwrap();
            }
            transaction.commit().await.unwrap();
        });
    }
    accepting.join_all().await;
    assert_eq!(ledger.root.query("SELECT FROM public.jobs", &[]).await.unwrap().len(), 1);
    assert_eq!(ledger.hits("joined", "duplicate").await, 2);
}

#[tokio::test]
async fn two_events_of_one_fact_are_both_fresh_and_lead_to_one_send() {
    on_every_major(one_fact).await;
}

/// The outbound key comes from the fact, not from the event that told of it.
pub(crate) async fn one_fact(ledger: &Ledger) {
    let (mut verdicts, mut sends) = (Vec::new(), Vec::new());
    for id in ["paid-1", "paid-2"] {
        let worker = ledger.worker().await;
        let fact = json!({"invoice": "in-7"});
        verdicts.push(accept(&worker, "claimed", id, &fact).await);
        let key = ask(&worker, "key", &[&"send", &vec!["in-7"]]).await.unwrap();
        sends.push(reserve(&worker, "send", &key).await);
    }
    assert_eq!((verdicts, sends), (vec!["fresh".to_owned(); 2], vec!["go".to_owned(), "in_progress".to_owned()]));
}

#[tokio::test]
async fn a_rollback_frees_an_event_of_transaction_mode() {
    on_every_major(rolled_back).await;
}

pub(crate) async fn rolled_back(ledger: &Ledger) {
    let mut worker = ledger.worker().await;
    let transaction = worker.transaction().await.unwrap();
    assert_eq!(accept(transaction.client(), "joined", "e", &json!({})).await, "fresh");
    transaction.rollback().await.unwrap();
    assert_eq!(accept(&worker, "joined", "e", &json!({})).await, "fresh");
}

#[tokio::test]
async fn a_claim_that_ran_out_is_reclaimed_by_one_and_the_first_is_fenced() {
    on_every_major(reclaimed).await;
}

pub(crate) async fn reclaimed(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let first = Uuid::new_v4();
    assert_eq!(accept_as(&worker, "claimed", "e", first, &json!({})).await, "fresh");
    assert!(ledger.queued("e").await.is_empty());
    pass_deadline().await;
    assert_eq!(ledger.queued("e").await, ["inbound"]);
    assert_eq!(ledger.health("inbound_overdue").await, 1.0);
    // All have seen the claim that ran out, and none has taken it over.
    let gate = Gate::close_at(ledger, "inbound_events", "BEFORE UPDATE", "FOR EACH STATEMENT").await;
    let mut accepting = JoinSet::new();
    for _ in 0..5 {
        let (worker, token) = (ledger.worker().await, Uuid::new_v4());
        accepting.spawn(async move { (accept_as(&worker, "claimed", "e", token, &json!({})).await, token) });
    }
    gate.crowded(5).await;
    gate.open().await;
    let verdicts = accepting.join_all().await;
    let holders: Vec<Uuid> =
        verdicts.iter().filter(|(verdict, _)| verdict == "reclaimed").map(|(_, token)| *token).collect();
    assert_eq!(holders.len(), 1, "{verdicts:?}");
    let finish = async |token: Uuid| ask(&worker, "finish_event", &[&"claimed", &"e", &token]).await.unwrap();
    assert_eq!((finish(first).await.as_str(), finish(holders[0]).await.as_str()), ("fenced", "finished"));
    assert!(ledger.queued("e").await.is_empty());
}

#[tokio::test]
async fn the_same_id_with_another_body_is_a_conflict() {
    on_every_major(conflict).await;
}

pub(crate) async fn conflict(ledger: &Ledger) {
    let worker = ledger.worker().await;
    for source in ["claimed", "joined"] {
        assert_eq!(accept(&worker, source, "e", &json!({"text": "hi"})).await, "fresh");
        assert_eq!(accept(&worker, source, "e", &json!({"text": "ho"})).await, "conflict");
        assert_eq!(ledger.hits(source, "conflict").await, 1);
    }
}

#[tokio::test]
async fn an_event_older_than_what_is_remembered_is_stale() {
    on_every_major(stale).await;
}

pub(crate) async fn stale(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let accept_at = async |id: &str, age: &str| {
        let call = format!(
            "SELECT onlyonce.accept_event('joined', $1, gen_random_uuid(), '{{}}', clock_timestamp() - interval '{age}')"
        );
        worker.query_one(&call, &[&id]).await.unwrap().get::<_, String>(0)
    };
    assert_eq!(accept_at("old", "4 seconds").await, "stale");
    assert_eq!(ledger.hits("joined", "stale").await, 1);
    assert_eq!(accept_at("young", "1 second").await, "fresh");
    assert_eq!(accept_at("young", "4 seconds").await, "duplicate", "what is still here is told as it is");
}

#[tokio::test]
async fn a_person_settles_an_event_that_stays_received() {
    on_every_major(settled_by_person).await;
}

pub(crate) async fn settled_by_person(ledger: &Ledger) {
    let (worker, person) = (ledger.worker().await, ledger.person().await);
    let decide = async |id: &str, decision: &str| {
        ask(&person, "resolve_event", &[&"claimed", &id, &decision, &"looked", &"kim"]).await
    };
    let token = Uuid::new_v4();
    accept_as(&worker, "claimed", "a", token, &json!({})).await;
    accept(&worker, "claimed", "b", &json!({})).await;
    assert_eq!(decide("a", "release").await.as_deref(), Ok("resolved"));
    assert_eq!(ask(&worker, "finish_event", &[&"claimed", &"a", &token]).await.as_deref(), Ok("fenced"));
    assert_eq!(accept(&worker, "claimed", "a", &json!({})).await, "reclaimed");
    assert_eq!(decide("b", "processed").await.as_deref(), Ok("resolved"));
    assert_eq!(decide("b", "processed").await.as_deref(), Ok("already"));
    assert_eq!(decide("b", "release").await, Err("OO004".to_owned()));
    assert_eq!(accept(&worker, "claimed", "b", &json!({})).await, "duplicate");
    assert_eq!(decide("nothing", "release").await, Err("P0002".to_owned()));
}

#[tokio::test]
async fn an_unknown_source_is_refused() {
    on_every_major(unknown_source).await;
}

pub(crate) async fn unknown_source(ledger: &Ledger) {
    let worker = ledger.worker().await;
    let accepted = ask(&worker, "accept_event", &[&"nobody", &"e", &Uuid::new_v4(), &json!({})]).await;
    assert_eq!(accepted, Err("OO002".to_owned()));
    let finished = ask(&worker, "finish_event", &[&"nobody", &"e", &Uuid::new_v4()]).await;
    assert_eq!(finished, Err("OO002".to_owned()));
}
