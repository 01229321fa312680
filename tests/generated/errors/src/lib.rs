//! The errors of other crates, each row of the table once, as the crates themselves make them.

mod client;

#[cfg(test)]
mod aws_sdk;
#[cfg(test)]
mod http;
#[cfg(test)]
mod lettre;
#[cfg(test)]
mod stripe;
#[cfg(test)]
mod tonic;

/// What is certain of an error, in a word.
#[cfg(test)]
fn certain(error: impl Into<client::SendError>) -> &'static str {
    match error.into() {
        client::SendError::Rejected(_) => "rejected",
        client::SendError::NotAttempted(_) => "not attempted",
        client::SendError::Unknown(_) => "unknown",
    }
}

/// A server that takes one connection, and runs this with it.
#[cfg(test)]
async fn serve<F, Fut>(with: F) -> std::net::SocketAddr
where
    F: FnOnce(tokio::net::TcpStream) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { with(listener.accept().await.unwrap().0).await });
    address
}

/// An address where nobody listens.
#[cfg(test)]
async fn nobody() -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}
