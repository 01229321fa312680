// Local-only implementations of the same trait: `FileTransport`, `StubTransport`, `object_store::memory::InMemory`. NOT-OUTBOUND
fn f(m: &lettre::Message) {
    use lettre::Transport;
    lettre::FileTransport::new("outbox").send(m).unwrap();
}
