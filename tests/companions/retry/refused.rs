// A pattern that asks for what only a refusal has.
enum Failed { Refused { text: String, retry_after: Option<u64>, migrate_to_chat_id: Option<i64> }, Network }
struct Bot { http: reqwest::Client, url: String }
impl Bot {
    async fn say(&self, chat: i64) -> Result<(), Failed> {
        self.http.post(&self.url).json(&chat).send().await.map(drop).map_err(|_| Failed::Network)
    }
    async fn with_field(&self, mut chat: i64) -> Result<(), Failed> {
        'retry: for _ in 0..3 {
            match self.say(chat).await {
                Err(Failed::Refused { migrate_to_chat_id: Some(new), .. }) => { chat = new; continue 'retry }
                Err(Failed::Refused { retry_after: Some(pause), .. }) => { sleep(pause).await; continue 'retry }
                other => { other?; }
            }
            break 'retry;
        }
        Ok(())
    }
}
struct Loud { http: reqwest::Client, url: String }
impl Loud {
    async fn say(&self) -> Result<(), Failed> {
        self.http.post(&self.url).send().await.map(drop).map_err(|_| Failed::Network) //~ retried-send
    }
    async fn whatever_there_is(&self) -> Result<(), Failed> {
        'retry: for _ in 0..3 {
            match self.say().await {
                Err(Failed::Refused { text, retry_after, .. }) => { log(text, retry_after); continue 'retry }
                other => { other?; }
            }
            break 'retry;
        }
        Ok(())
    }
}
