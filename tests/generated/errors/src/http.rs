use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{certain, nobody, serve};

/// A server that reads what comes and answers with this, then closes.
async fn answering(answer: &'static str) -> SocketAddr {
    serve(async move |mut connection| {
        let mut read = [0; 1024];
        connection.read(&mut read).await.unwrap();
        connection.write_all(answer.as_bytes()).await.unwrap();
    })
    .await
}

async fn by_hyper(at: SocketAddr) -> Result<Response<hyper::body::Incoming>, hyper_util::client::legacy::Error> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    client.request(Request::get(format!("http://{at}/")).body(Empty::new()).unwrap()).await
}

#[tokio::test]
async fn hypers() {
    assert_eq!(certain(by_hyper(nobody().await).await.unwrap_err()), "not attempted");
    assert_eq!(certain(by_hyper(answering("").await).await.unwrap_err()), "unknown");
    assert_eq!(certain(by_hyper(answering("nonsense\r\n\r\n").await).await.unwrap_err()), "unknown");
    let cut = by_hyper(answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut").await).await.unwrap();
    assert_eq!(certain(cut.into_body().collect().await.unwrap_err()), "unknown");
}

async fn by_reqwest(at: SocketAddr) -> Result<reqwest::Response, reqwest::Error> {
    let policy = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().redirect(policy).timeout(Duration::from_millis(500)).build().unwrap();
    client.post(format!("http://{at}/")).send().await?.error_for_status()
}

#[tokio::test]
async fn reqwests() {
    assert_eq!(certain(by_reqwest(nobody().await).await.unwrap_err()), "not attempted");
    assert_eq!(certain(reqwest::Client::new().get("no address").send().await.unwrap_err()), "not attempted");
    let name = reqwest::Client::new().get("http://nobody.invalid/").send().await.unwrap_err();
    assert_eq!(certain(name), "not attempted");
    assert_eq!(certain(by_reqwest(answering("").await).await.unwrap_err()), "unknown");
    let silent = serve(async |connection| {
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(connection);
    });
    assert_eq!(certain(by_reqwest(silent.await).await.unwrap_err()), "unknown");
    for (answer, expected) in [
        ("HTTP/1.1 400 x\r\ncontent-length: 0\r\n\r\n", "rejected"),
        ("HTTP/1.1 402 x\r\ncontent-length: 0\r\n\r\n", "rejected"),
        ("HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n", "rejected"),
        ("HTTP/1.1 422 x\r\ncontent-length: 0\r\n\r\n", "rejected"),
        ("HTTP/1.1 401 x\r\ncontent-length: 0\r\n\r\n", "not attempted"),
        ("HTTP/1.1 403 x\r\ncontent-length: 0\r\n\r\n", "not attempted"),
        ("HTTP/1.1 408 x\r\ncontent-length: 0\r\n\r\n", "unknown"),
        ("HTTP/1.1 409 x\r\ncontent-length: 0\r\n\r\n", "unknown"),
        ("HTTP/1.1 429 x\r\ncontent-length: 0\r\n\r\n", "unknown"),
        ("HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n", "unknown"),
    ] {
        assert_eq!(certain(by_reqwest(answering(answer).await).await.unwrap_err()), expected, "{answer}");
    }
    let cut = by_reqwest(answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}").await).await.unwrap();
    assert_eq!(certain(cut.json::<u8>().await.unwrap_err()), "unknown");
}
