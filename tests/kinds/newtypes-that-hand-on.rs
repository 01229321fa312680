//~ depends oauth10a, near-jsonrpc-client, reqx, gpt-sdk, telegraph-rs, mega
// A newtype that hands its client's futures on; a client's calls of one name told by what they are given.
use std::future::Future;

use oauth10a::client::{Client as OAuthClient, RestClient};

pub struct Client {
    inner: OAuthClient,
}

impl RestClient for Client {
    fn post(&self, endpoint: &str, payload: &Payload) -> impl Future<Output = Result<Answer, Error>> {
        self.inner.post(endpoint, payload) //~ mutate
    }
    fn get(&self, endpoint: &str) -> impl Future<Output = Result<Answer, Error>> {
        self.inner.get(endpoint)
    }
    fn builder(&self, endpoint: &str) -> Builder {
        self.inner.post(endpoint)
    }
}

pub struct Near {
    rpc: near_jsonrpc_client::JsonRpcClient,
}

impl Near {
    async fn status(&self) -> Result<Status, Error> {
        self.rpc.call(methods::status::RpcStatusRequest).await
    }
    async fn view(&self, request: &methods::query::RpcQueryRequest) -> Result<View, Error> {
        self.query(request).await
    }
    async fn query<M: methods::RpcMethod>(&self, method: &M) -> Result<M::Response, M::Error> {
        self.rpc.call(method).await
    }
    async fn commit(&self, request: &methods::tx::RpcBroadcastTxCommitRequest) -> Result<Outcome, Error> {
        self.rpc.call(request).await //~ charge
    }
}

pub struct Blocking {
    client: reqx::blocking::Client,
}

impl Blocking {
    fn ask(&self, method: Method, url: &str, body: Option<Vec<u8>>) -> Result<Response, Error> {
        let mut request = self.client.request(method.clone(), url.to_owned()).timeout(1);
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().map_err(Error::from)?; //~ mutate
        Ok(response)
    }
}

async fn files(gpt: &gpt_sdk::Client) -> Result<(), gpt_sdk::Error> {
    gpt.upload_file("a").await?; //~ mutate
    gpt.complete("a").await?; //~ model
    Ok(())
}

async fn telegraph(token: &str) -> Result<(), telegraph_rs::Error> {
    let builder = telegraph_rs::Telegraph::new("name").access_token(token);
    let _telegraph = builder.create().await?;
    Ok(())
}

async fn nodes(mega: &mega::Client, node: &mega::Node) -> Result<(), mega::Error> {
    mega.move_node(node, node).await?; //~ mutate
    mega.rename_node(node, "x").await //~ mutate
}

// A struct that holds a method, which one of its makers is given from elsewhere.
pub struct Outgoing {
    method: http::Method,
    url: String,
}

fn crumb(url: &str) -> Outgoing {
    Outgoing { method: http::Method::GET, url: url.to_owned() }
}

fn of_request(request: &someones::Request) -> Outgoing {
    Outgoing { method: request.method.clone(), url: request.url() }
}

impl Blocking {
    fn transport(&self, outgoing: Outgoing) -> Result<Response, Error> {
        let Outgoing { method, url } = outgoing;
        let request = self.client.request(method, url).timeout(1);
        request.send().map_err(Error::from) //~ mutate
    }
}
