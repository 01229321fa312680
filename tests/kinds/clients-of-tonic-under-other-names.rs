//~ depends tonic
// A client that tonic made, by another name of its module: every method is a call.
use tonic::transport::Channel;

use crate::pb::worker_client as workers;

mod pb {
    tonic::include_proto!("acme");
}

async fn f(mut client: workers::WorkerClient<Channel>) {
    let _ = client.reticulate(1).await; //~ mutate
}
