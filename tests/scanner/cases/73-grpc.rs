// gRPC: `include_proto!` types are not in the source. Rule: receiver type `Client<..>` from a `_client` module, or constructed by `::connect(`/`::new(channel)`. SEND unless the rpc name starts get/list/watch/query/health/check
async fn f(ch: tonic::transport::Channel) {
    let mut c = pb::payments_client::PaymentsClient::new(ch);
    let _ = c.capture(pb::CaptureRequest::default()).await; //~ SEND
    let _ = c.get_balance(pb::GetBalanceRequest::default()).await; //~ READ
}
