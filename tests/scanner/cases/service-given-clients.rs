// Functions and methods of unlisted crates that are given the crate's client; HTTP clients that nobody lists;
// producers that need no await; and what is given to a plainly named call.
use ledger_like::client::{Client, Resources};
use ledger_like::charges::Charge;
async fn f(client: &Client, resources: &mut Resources, path: &str) {
    let _ = Charge::create(client, 5).await; //~ CHARGE
    let _ = resources.add(&client, path).await; //~ MUTATE
    let _ = Charge::retrieve(client, 5).await;
    let _ = resources.add(path).await;
}
async fn http(client: httplike::Client, url: &str) {
    let request = httplike::post(url).with_body("{}").with_timeout(3);
    let _ = client.send_async(request).await; //~ MUTATE
    let _ = client.send_async(httplike::get(url)).await; //~ READ
    let _ = httplike::delete(url).with_timeout(3).send(); //~ MUTATE
}
struct Results { producer: arroyo_like::KafkaProducer }
impl Results {
    fn produce(&self, payload: Payload) -> Result<(), Error> {
        Ok(self.producer.produce(payload)?) //~ MESSAGE
    }
}
struct ListPeers { limit: u8 }
struct PayRefund { id: u8 }
use node_like::model::{FetchinvoiceRequest, GetinfoRequest, XpayRequest};
async fn rpc(node: &mut node_like::NodeRpc) {
    let _ = node.call(ListPeers { limit: 1 }).await; //~ READ
    let _ = node.call(PayRefund { id: 1 }).await; //~ CHARGE
    let _ = node.call_typed(&FetchinvoiceRequest { offer: 1 }).await; //~ READ
    let _ = node.call_typed(&GetinfoRequest {}).await; //~ READ
    let _ = node.call_typed(&XpayRequest { invoice: 1 }).await; //~ MUTATE
}
