// What sets a gRPC client up sends nothing, whoever awaits a call of that client.
use payments_client::PaymentsClient;
fn client(channel: tonic::transport::Channel) -> PaymentsClient<tonic::transport::Channel> {
    PaymentsClient::new(channel).accept_compressed(Zstd).send_compressed(Zstd).max_decoding_message_size(9)
}
async fn pay(channel: tonic::transport::Channel, bill: Bill) {
    let _ = client(channel).pay(bill).await; //~ CHARGE
}
