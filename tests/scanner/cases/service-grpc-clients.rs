// gRPC clients by their path: whatever a method is called, awaited at once, later, or by whom it is given to; the
// server's side of the same crate, and settings of a client, call nobody.
use protos::worker::v1::worker_service_client::WorkerServiceClient;
use tonic::transport::Channel;
pub mod auth {
    tonic::include_proto!("auth");
}
struct Worker { client: WorkerServiceClient<Channel> }
impl Worker {
    async fn push(&mut self, task: Task) -> anyhow::Result<()> {
        let later = self.client.push_task(task); //~ MESSAGE
        tokio::time::timeout(std::time::Duration::from_secs(5), later).await??;
        self.client.reindex(Task::default()).await?; //~ MUTATE
        self.client.status(()).await?; //~ READ
        Ok(())
    }
}
async fn generic<T>(client: &mut WorkerServiceClient<T>, task: Task) -> Response {
    client.send_bundle(task).await //~ MESSAGE
}
async fn login(channel: Channel) {
    let mut client = crate::auth::auth_service_client::AuthServiceClient::new(channel).max_decoding_message_size(9);
    let _ = client.generate_auth_tokens(()).await; //~ AUTH
}
async fn served(codec: Codec, request: Request, method: Method) {
    let mut grpc = tonic::server::Grpc::new(codec).apply_compression_config(1, 2);
    let _ = grpc.unary(method, request).await;
}
/// A client whose generated code is checked in: the name of the function is the name of the call.
struct Made { inner: tonic::client::Grpc<Channel> }
impl Made {
    async fn collect_payment(&mut self, request: Request, path: Path, codec: Codec) {
        let _ = self.inner.unary(request, path, codec).await; //~ CHARGE
    }
    async fn get_price(&mut self, request: Request, path: Path, codec: Codec) {
        let _ = self.inner.unary(request, path, codec).await; //~ READ
    }
}
