// A signed transaction is the same one however often it is handed in; one that is signed on the way is another.
use alloy::providers::Provider;
async fn raw(chain: &alloy::providers::RootProvider, signed: &[u8]) {
    for _ in 0..3 {
        if chain.send_raw_transaction(signed).await.is_ok() { break }
    }
}
async fn asked(chain: &alloy::providers::RootProvider, tx: alloy::rpc::types::TransactionRequest) {
    for _ in 0..3 {
        if chain.send_transaction(tx.clone()).await.is_ok() { break } //~ retried-send
    }
}
async fn solana(chain: &solana_client::nonblocking::rpc_client::RpcClient, tx: &Transaction) {
    for _ in 0..3 {
        if chain.send_and_confirm_transaction(tx).await.is_ok() { break }
    }
    for _ in 0..3 {
        if chain.request_airdrop(&tx.key, 1).await.is_ok() { break } //~ retried-send
    }
}

struct Node { http: reqwest::Client, url: String }
impl Node {
    async fn broadcast_tx(&self, body: String) -> reqwest::Result<()> {
        self.http.post(&self.url).body(body).send().await.map(drop)
    }
    async fn submit(&self, tx_hex: String) -> reqwest::Result<()> {
        self.http.post(&self.url).body(tx_hex).send().await.map(drop)
    }
    async fn pay(&self, order: String) -> reqwest::Result<()> {
        self.http.post(&self.url).body(order).send().await.map(drop) //~ retried-send
    }
    // A procedure by its name: what takes what is signed, what spends, and what only the run knows.
    async fn hand_in(&self, tx: &str) -> reqwest::Result<()> {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendRawTransaction", "params": [tx] });
        self.http.post(&self.url).json(&body).send().await.map(drop)
    }
    async fn spend(&self, to: &str) -> reqwest::Result<()> {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "sendtoaddress", "params": [to] });
        self.http.post(&self.url).json(&body).send().await.map(drop) //~ retried-send
    }
    async fn rpc(&self, method: &str, params: serde_json::Value) -> reqwest::Result<()> {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.http.post(&self.url).json(&body).send().await.map(drop)
    }
    async fn each(&self, tx: String) {
        for _ in 0..3 { if self.broadcast_tx(tx.clone()).await.is_ok() { break } }
        for _ in 0..3 { if self.submit(tx.clone()).await.is_ok() { break } }
        for _ in 0..3 { if self.pay(tx.clone()).await.is_ok() { break } }
        for _ in 0..3 { if self.hand_in(&tx).await.is_ok() { break } }
        for _ in 0..3 { if self.spend(&tx).await.is_ok() { break } }
        for _ in 0..3 { if self.rpc("getblock", tx.clone().into()).await.is_ok() { break } }
    }
}
// The name comes from the callers: one of them sends.
struct Messenger { http: reqwest::Client, url: String }
impl Messenger {
    async fn rpc(&self, method: &str, params: serde_json::Value) -> reqwest::Result<()> {
        let body = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.http.post(&self.url).json(&body).send().await.map(drop) //~ retried-send
    }
    async fn both(&self) {
        let _ = self.rpc("listAccounts", serde_json::Value::Null).await;
        for _ in 0..3 { if self.rpc("send", serde_json::Value::Null).await.is_ok() { break } }
    }
}
async fn typed(node: &mut cln_rpc::ClnRpc, bolt11: String) {
    for _ in 0..3 { if node.call_typed(&XpayRequest { invstring: bolt11.clone() }).await.is_ok() { break } } //~ retried-send
    for _ in 0..3 { if node.call_typed(&GetinfoRequest {}).await.is_ok() { break } }
}
