//~ depends doapi, pages, alipay-sdk, local-index, json-caller
// Clients of crates that nobody listed whose calls wait until they are answered: nothing is awaited.
use doapi::DoManager;

fn reboot(manager: &DoManager, id: &str) {
    match manager.droplet(id).reboot().retrieve() { //~ mutate
        Ok(_) => println!("done"),
        Err(e) => println!("{e}"),
    }
    match manager.droplets().upgrades().retrieve() {
        Ok(_) => println!("done"),
        Err(e) => println!("{e}"),
    }
    let _shown = manager.domain(id).dns_records().create("a").to_string();
}

fn page(client: &pages::Client, title: &str) -> Result<(), pages::Error> {
    client.create_page(title, "text")?; //~ mutate
    let _page = client.get_page(title)?;
    let _draft = client.create_draft(title);
    Ok(())
}

// A client that is awaited elsewhere signs at once.
async fn signed(client: &pages::Client, title: &str) -> Result<(), pages::Error> {
    let headers = client.create_headers(title)?;
    client.update_page(title, headers).await?; //~ mutate
    Ok(())
}

// No client by its name.
fn index(writer: &local_index::Writer) -> Result<(), local_index::Error> {
    writer.delete_all("x")?;
    Ok(())
}

// A client is made under a name that nobody foresaw.
async fn made(transfer: Transfer) -> Result<(), alipay_sdk::Error> {
    let client = alipay_sdk::Client::neo("1", "key");
    client.post("fund.transfer", transfer).await?; //~ charge
    let mut with = client.set_params("b");
    with.post_file("image.upload", "x").await?; //~ mutate
    Ok(())
}

struct Rpc {
    client: json_caller::HttpClient,
}

impl Rpc {
    fn ask(&self, request: &Request) -> Result<Answer, json_caller::Error> {
        for _ in 0..3 {
            let result = self.client.send(request); //~ send
            if result.is_ok() {
                return result;
            }
        }
        self.client.send(request) //~ send
    }
}

// What its callers are named after is what a helper around such a client does.
struct Coins {
    client: json_caller::RpcClient,
}

impl Coins {
    fn send(&self, request: Request) -> Result<Answer, json_caller::Error> {
        self.client.send(request) //~ charge
    }

    fn send_raw_transaction(&self, hex: &str) -> Result<Answer, json_caller::Error> {
        self.send(Request::new("sendrawtransaction", hex))
    }
}
