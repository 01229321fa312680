//! What the example of `deliveries.rs` does with deliveries that come more than once.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::client::{Accepted, sources};
use super::deliveries::{App, router};
use super::world::World;

fn app(world: &World) -> App {
    App { ledger: world.ledger.clone(), pool: world.pool.clone(), provider: world.provider.clone() }
}

async fn deliver(world: &World, path: &str, body: impl Into<Body>) -> StatusCode {
    deliver_to(app(world), path, body.into()).await
}

async fn deliver_to(app: App, path: &str, body: Body) -> StatusCode {
    let request = Request::post(path).header("content-type", "application/json").body(body).unwrap();
    router(app).oneshot(request).await.unwrap().status()
}

fn event(text: &str) -> Value {
    json!({ "id": "e1", "text": text })
}

async fn jobs(world: &World) -> i64 {
    world.database.connect().await.query_one("SELECT count(*) FROM jobs", &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_claimed_delivery_is_answered_once_however_often_it_comes() {
    let world = World::new().await;
    for text in ["hello", "hello", "said otherwise"] {
        assert_eq!(deliver(&world, "/hook", event(text).to_string()).await, StatusCode::OK);
    }
    let mut at_once = JoinSet::new();
    for _ in 0..8 {
        let body = json!({ "id": "e2", "text": "twice" }).to_string();
        at_once.spawn(deliver_to(app(&world), "/hook", body.into()));
    }
    for status in at_once.join_all().await {
        assert!(matches!(status, StatusCode::OK | StatusCode::SERVICE_UNAVAILABLE), "{status}");
    }
    assert_eq!(world.provider.taken(), ["\"hello\"", "\"twice\""]);
}

#[tokio::test]
async fn one_that_another_worker_has_comes_again_and_is_answered_when_that_one_is_gone() {
    let world = World::new().await;
    let gone = world.ledger.accept_event(sources::HOOK, "e1", &event("hello"), None).await.unwrap();
    assert!(matches!(gone, Accepted::Fresh(_)));
    assert_eq!(deliver(&world, "/hook", event("hello").to_string()).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(world.provider.taken().len(), 0);
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    assert_eq!(deliver(&world, "/hook", event("hello").to_string()).await, StatusCode::OK);
    assert_eq!(world.provider.taken(), ["\"hello\""]);
}

#[tokio::test]
async fn an_order_counts_with_its_job_and_is_free_again_without_it() {
    let world = World::new().await;
    assert_eq!(deliver(&world, "/shop", event("order").to_string()).await, StatusCode::SERVICE_UNAVAILABLE);
    world.database.run("CREATE TABLE jobs (work jsonb); GRANT INSERT ON jobs TO onlyonce_app").await;
    for _ in 0..3 {
        assert_eq!(deliver(&world, "/shop", event("order").to_string()).await, StatusCode::OK);
    }
    assert_eq!(jobs(&world).await, 1);
}

#[tokio::test]
async fn what_is_no_event_is_refused_and_nothing_is_claimed() {
    let world = World::new().await;
    for (path, body) in [("/hook", "{"), ("/hook", "{}"), ("/shop", "{\"id\": 7}")] {
        assert_eq!(deliver(&world, path, body).await, StatusCode::BAD_REQUEST);
    }
    assert!(world.provider.taken().is_empty());
}
