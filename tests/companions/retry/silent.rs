// What looks like a repeat and is none.
use std::time::Duration;
struct Api { http: reqwest::Client, url: String }
struct Job { url: String }

impl Api {
    // One send an item, whatever becomes of the one before.
    async fn each(&self, jobs: &[Job]) -> anyhow::Result<()> {
        for job in jobs {
            if let Err(e) = self.http.post(&job.url).send().await { tracing::warn!("{e}"); continue; }
            tracing::info!("sent");
        }
        Ok(())
    }

    // A worker.
    async fn worker(&self, mut jobs: tokio::sync::mpsc::Receiver<Job>) {
        loop {
            let Some(job) = jobs.recv().await else { break };
            match self.http.post(&job.url).send().await {
                Ok(_) => tracing::info!("sent"),
                Err(e) => { tracing::warn!("{e}"); continue }
            }
        }
    }

    async fn ticks(&self) {
        let mut interval = tokio::time::interval(Duration::from_secs(60));
        loop {
            interval.tick().await;
            if let Err(e) = self.http.post(&self.url).send().await { tracing::warn!("{e}"); }
        }
    }

    // Page by page: each success leads on.
    async fn pages(&self) -> anyhow::Result<()> {
        let mut cursor = None::<String>;
        loop {
            let page: Page = self.http.post(&self.url).json(&cursor).send().await?.json().await?;
            if page.next.is_none() { return Ok(()) }
            cursor = page.next;
        }
    }

    // Chunks of one text.
    async fn chunks(&self, text: &str) -> anyhow::Result<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (head, tail) = rest.split_at(rest.len().min(100));
            let resp = self.http.post(&self.url).body(head.to_owned()).send().await?;
            if !resp.status().is_success() { anyhow::bail!("refused") }
            rest = tail;
        }
        Ok(())
    }

    // The other side turned it down.
    async fn limited(&self) -> anyhow::Result<()> {
        loop {
            let resp = self.http.post(&self.url).send().await?;
            if resp.status() == reqwest::StatusCode::TOO_MANY_REQUESTS {
                tokio::time::sleep(Duration::from_secs(1)).await;
                continue;
            }
            resp.error_for_status()?;
            return Ok(());
        }
    }

    async fn limited_in_a_match(&self) -> anyhow::Result<()> {
        for _ in 0..3 {
            let resp = self.http.post(&self.url).send().await?;
            match resp.status().as_u16() {
                200..=299 => return Ok(()),
                429 => tokio::time::sleep(Duration::from_secs(1)).await,
                401 => self.login().await?,
                _ => anyhow::bail!("failed"),
            }
        }
        anyhow::bail!("limited")
    }
    async fn login(&self) -> anyhow::Result<()> { Ok(()) }

    // Nobody was reached.
    async fn no_connection(&self) -> reqwest::Result<()> {
        loop {
            match self.http.post(&self.url).send().await {
                Err(e) if e.is_connect() => tokio::time::sleep(Duration::from_secs(1)).await,
                other => return other.map(drop),
            }
        }
    }

    // A loop that keeps something running, and sends now and then.
    async fn supervise(&self) {
        loop {
            match self.run().await {
                Ok(()) => break,
                Err(e) => tracing::warn!("{e}"),
            }
        }
    }
    async fn run(&self) -> anyhow::Result<()> {
        let mut jobs = jobs().await?;
        while let Some(job) = jobs.recv().await {
            self.http.post(&job.url).send().await?;
        }
        Ok(())
    }

    // Reads may be repeated.
    async fn reads(&self) {
        for _ in 0..3 {
            if self.http.get(&self.url).send().await.is_ok() { break }
        }
    }
}
struct Page { next: Option<String> }
async fn jobs() -> anyhow::Result<tokio::sync::mpsc::Receiver<Job>> { todo!() }

// A predicate of one's own that names refusals alone.
async fn paused(api: &Api) -> anyhow::Result<()> {
    loop {
        let resp = api.http.post(&api.url).send().await?;
        if let Some(pause) = needs_retry(&resp).await {
            tokio::time::sleep(pause).await;
            continue;
        }
        return Ok(());
    }
}
async fn needs_retry(resp: &reqwest::Response) -> Option<Duration> {
    if resp.status() != reqwest::StatusCode::TOO_MANY_REQUESTS { return None }
    Some(Duration::from_secs(1))
}

// Done twice it is the same.
async fn settles(api: &Api) {
    for _ in 0..3 {
        if api.http.delete(&api.url).send().await.is_ok() { break }
    }
}

// Nothing yet is an answer: the loop asks until there is something.
async fn poll(api: &Api) -> anyhow::Result<String> {
    loop {
        match poll_once(api).await? {
            Some(token) => return Ok(token),
            None => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}
async fn poll_again(api: &Api) -> anyhow::Result<String> {
    loop {
        match poll_once(api).await {
            Ok(Some(token)) => return Ok(token),
            Ok(None) => tokio::time::sleep(Duration::from_secs(1)).await,
            Err(e) => return Err(e),
        }
    }
}
async fn poll_once(api: &Api) -> anyhow::Result<Option<String>> {
    let response = api.http.post(&api.url).send().await?;
    if response.status().is_success() { return Ok(Some(response.text().await?)) }
    if response.status() == reqwest::StatusCode::NOT_FOUND { return Ok(None) }
    anyhow::bail!("refused")
}
