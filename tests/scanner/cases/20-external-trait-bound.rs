// External trait bound. SEND
async fn mail<T>(t: &T, m: lettre::Message)
where T: lettre::AsyncTransport + Sync, T::Error: std::fmt::Debug {
    t.send(m).await.map(|_| ()).unwrap(); //~ SEND
}
