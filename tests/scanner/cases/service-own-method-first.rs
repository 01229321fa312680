// A trait of the workspace on a client from outside: `self.send(..)` in it is the client's own method.
#[async_trait::async_trait]
trait Push { async fn send(&self, payload: Payload) -> bool; }
#[async_trait::async_trait]
impl Push for a2::Client {
    async fn send(&self, payload: Payload) -> bool {
        self.send(payload).await.is_ok() //~ MESSAGE
    }
}
async fn f(push: &dyn Push, payload: Payload) {
    push.send(payload).await;
}
