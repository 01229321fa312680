// Loops in the forms that people write.
struct Api { http: reqwest::Client, url: String }

impl Api {
    async fn status_loop(&self) -> anyhow::Result<()> {
        for attempt in 0..5 {
            let response = self.http.post(&self.url).send().await; //~ retried-send
            match response {
                Ok(resp) if resp.status().is_success() => return Ok(()),
                Ok(resp) => tracing::warn!("{}", resp.status()),
                Err(e) => tracing::warn!("{e}"),
            }
            tokio::time::sleep(std::time::Duration::from_secs(1 << attempt)).await;
        }
        anyhow::bail!("gave up")
    }

    async fn continue_loop(&self) -> anyhow::Result<()> {
        let mut tries = 0;
        while tries < 3 {
            let resp = match self.http.post(&self.url).send().await { //~ retried-send
                Ok(resp) => resp,
                Err(_) => { tries += 1; continue; }
            };
            if resp.status().is_success() { return Ok(()) }
            return Err(anyhow::anyhow!("refused"));
        }
        Ok(())
    }

    async fn let_else(&self) {
        loop {
            let Ok(_) = self.http.post(&self.url).send().await else { continue }; //~ retried-send
            break;
        }
    }

    async fn flag(&self) {
        let mut sent = false;
        while !sent {
            match self.http.post(&self.url).send().await { //~ retried-send
                Ok(_) => sent = true,
                Err(_) => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
            }
        }
    }

    async fn while_error(&self) {
        while self.http.post(&self.url).send().await.is_err() {} //~ retried-send
    }

    async fn while_let_error(&self) {
        while let Err(e) = self.http.post(&self.url).send().await { eprintln!("{e}"); } //~ retried-send
    }

    async fn server_errors(&self) -> anyhow::Result<()> {
        loop {
            let resp = self.http.post(&self.url).send().await?; //~ retried-send
            let status = resp.status();
            if status.is_server_error() { continue; }
            return Ok(());
        }
    }

    async fn labelled(&self, us: &[String]) {
        'all: loop {
            for u in us {
                if u.is_empty() { continue; }
                if self.http.post(&self.url).send().await.is_err() { continue 'all; } //~ retried-send
                return;
            }
        }
    }

    async fn once(&self) -> reqwest::Result<()> {
        self.http.post(&self.url).send().await?.error_for_status().map(drop) //~ retried-send
    }

    // The helper sends, the caller repeats.
    async fn outer(&self) -> reqwest::Result<()> {
        let mut left = 3;
        loop {
            match self.once().await {
                Ok(()) => return Ok(()),
                Err(e) if left == 0 => return Err(e),
                Err(_) => left -= 1,
            }
        }
    }

    async fn timed(&self) {
        for _ in 0..3 {
            let sent = tokio::time::timeout(std::time::Duration::from_secs(5), self.http.post(&self.url).send()).await; //~ retried-send
            if let Ok(Ok(_)) = sent { return }
        }
    }

    async fn in_block(&self) {
        for _ in 0..3 {
            let sent: anyhow::Result<()> = async {
                self.http.post(&self.url).send().await?; //~ retried-send
                Ok(())
            }.await;
            if sent.is_ok() { break }
        }
    }
}

// A socket that is made anew: its first words are for the new connection. A message that is said again is not.
type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;
use futures::SinkExt;
async fn keeps_connected() {
    loop {
        match connected().await { Ok(()) => return, Err(e) => tracing::warn!("{e}") }
    }
}
async fn connected() -> anyhow::Result<()> {
    let (mut socket, _) = tokio_tungstenite::connect_async("wss://x").await?;
    join(&mut socket).await?;
    relay(&mut socket).await
}
async fn join(socket: &mut Socket) -> anyhow::Result<()> { say(socket, "join").await }
async fn say(socket: &mut Socket, text: &str) -> anyhow::Result<()> {
    Ok(socket.send(tokio_tungstenite::tungstenite::Message::text(text)).await?)
}
async fn relay(_: &mut Socket) -> anyhow::Result<()> { Ok(()) }
async fn says_again(socket: &mut Socket) {
    for _ in 0..3 {
        if tell(socket).await.is_ok() { break }
    }
}
async fn tell(socket: &mut Socket) -> anyhow::Result<()> {
    Ok(socket.send(tokio_tungstenite::tungstenite::Message::text("paid")).await?) //~ retried-send
}

// A menu: what went wrong is shown, and whoever sits there is asked anew. It is no repeat of what was asked for before.
struct Menu { http: reqwest::Client, url: String }
impl Menu {
    async fn order(&self, what: &str) -> reqwest::Result<()> {
        self.http.post(&self.url).body(what.to_owned()).send().await.map(drop)
    }
    async fn asks(&self) {
        loop {
            let wish = asked();
            match self.order(&wish).await {
                Ok(()) => break,
                Err(error) => println!("{error}"),
            }
        }
    }
    async fn order_by_force(&self, what: &str) -> reqwest::Result<()> {
        self.http.post(&self.url).body(what.to_owned()).send().await.map(drop) //~ retried-send
    }
    async fn insists(&self, wish: &str) {
        loop {
            match self.order_by_force(wish).await {
                Ok(()) => break,
                Err(_) => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
            }
        }
    }
}

// A new connection is told anew what it is to tell of.
async fn subscribes_again(url: &str) {
    for attempt in 0..3 {
        match subscribed(url).await { Ok(()) => break, Err(e) => tracing::warn!("{attempt} {e}") }
    }
}
async fn subscribed(url: &str) -> anyhow::Result<()> {
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await?;
    Ok(socket.send(tokio_tungstenite::tungstenite::Message::text("subscribe")).await?)
}
