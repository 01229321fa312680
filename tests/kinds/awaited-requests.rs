//~ depends surf, async-std, steamworks, ethers, arweave-rs, azure-keys, some-sdk
// Requests that are sent by awaiting them, and calls that answer to a closure.
use surf::http::Method;

async fn put(url: &str, bytes: Vec<u8>) {
    let _answer = surf::put(url).header("Content-Type", "video/mp4").body(bytes).await; //~ mutate
    let _page = surf::get(url).await;
    let text = surf::post(url).recv_string().await; //~ mutate
    println!("{text:?}");
}

fn blocking(url: &str) {
    async_std::task::block_on(async {
        let _ = surf::delete(url).await; //~ mutate
    });
}

async fn request(method: Method, url: String, body: Option<String>) {
    let mut request = surf::Request::builder(method, url.parse().unwrap()).header("A", "b"); //~ mutate
    if let Some(body) = body {
        request = request.body(body);
    }
    match request.await {
        Ok(_) => println!("done"),
        Err(e) => println!("{e}"),
    }
}

fn items(ugc: &steamworks::UGC, id: u64) {
    ugc.create_item(id, 1, move |created| println!("{created:?}")); //~ mutate
    ugc.start_item_update(id).title("x").submit(None, |sent| println!("{sent:?}")); //~ mutate
    ugc.query_item(id, |found| println!("{found:?}"));
}

struct App {
    contract: Arc<Messages<Middleware>>,
}

async fn store(app: &App, text: String) {
    let _pending = app.contract.write_message(text).send().await; //~ charge
    let _read = app.contract.get_messages().call().await;
}

async fn arweave(sdk: &arweave_rs::Arweave, data: Vec<u8>) -> Result<(), arweave_rs::Error> {
    let made = sdk.create_transaction(data).await?;
    sdk.post_transaction(&made).await?; //~ charge
    Ok(())
}

async fn certificate(client: &azure_keys::CertificateClient, name: &str) -> Result<(), azure_keys::Error> {
    client.begin_create_certificate(name, None)?.await?; //~ mutate
    Ok(())
}

async fn script(client: &some_sdk::Client, id: &str) -> Result<(), some_sdk::Error> {
    client.exec_script(id).await?; //~ mutate
    client.resume_session(id).await?; //~ auth
    Ok(())
}
