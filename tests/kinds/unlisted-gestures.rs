//~ depends feishu-sdk, anthropic, nash-ws, schwab, rust-mcp-sdk, reqwest, tokio-websockets, glue
// Clients of crates that nobody listed, told by what the call looks like.
use futures_util::SinkExt;
use futures_util::stream::SplitSink;

async fn card(client: &feishu_sdk::Client, body: Body) -> anyhow::Result<()> {
    client.request(reqwest::Method::POST, "/open-apis/cardkit/v1/cards", Some(body)).await?; //~ mutate
    client.request(reqwest::Method::GET, "/open-apis/contact/v3/users", None).await?; //~ read
    Ok(())
}

async fn ask(client: &anthropic::client::Client, request: Request) -> anyhow::Result<()> {
    client.messages(request).await?; //~ model
    Ok(())
}

async fn subscribe(socket: &mut nash_ws::WebSocketSender, text: String) {
    socket.send(&nash_ws::Message::Text(text)).await.ok(); //~ send
}

async fn write(mut sink: SplitSink<tokio_websockets::WebSocketStream<Tcp>, tokio_websockets::Message>, data: Vec<u8>) {
    sink.send(tokio_websockets::Message::binary(data)).await.ok(); //~ send
    sink.send(tokio_websockets::Message::close(None, "")).await.ok();
}

async fn cancel(provider: schwab::auth::Provider, account: &str, order: u64) -> anyhow::Result<()> {
    let client = provider.client().await?;
    client.cancel_order(account, order).await?; //~ mutate
    Ok(())
}

async fn tool(servers: &Servers, name: &str) -> anyhow::Result<()> {
    let client = servers.named(name);
    client.request_tool_call(Params { name: name.to_owned() }).await?; //~ mutate
    Ok(())
}

async fn shorten(client: &glue::client::Client, url: &str) -> anyhow::Result<()> {
    client.get(url).send().await?;
    let mut builder = match url.len() {
        0 => client.get(url),
        _ => client.post(url),
    };
    builder = builder.body("x");
    builder.send().await?; //~ mutate
    Ok(())
}

struct Bot {
    link: glue::MatrixLink,
}

impl Bot {
    fn link(&self) -> &glue::MatrixLink {
        &self.link
    }

    async fn tell(&self, room: &Room, text: String) {
        self.link().messaging().send_text_markdown(room, text).await.ok(); //~ send
        self.link().reacting().react(room, "1").await.ok(); //~ mutate
        self.link().timing().send_timeout(room, 1).await.ok();
    }
}
