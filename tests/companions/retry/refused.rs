// A pattern that asks for what only a refusal has.
enum Failed { Refused { text: String, retry_after: Option<u64>, migrate_to_chat_id: Option<i64> }, Network, Request { text: String, retry_after: Option<u64> }, Empty }
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
                Err(Failed::Request { text, retry_after, .. }) => { log(text, retry_after); continue 'retry }
                other => { other?; }
            }
            break 'retry;
        }
        Ok(())
    }
}
// One variant of several, that is no lost answer: what failed on the way leaves.
struct Steps { http: reqwest::Client, url: String, loud: String }
impl Steps {
    async fn step(&self) -> Result<(), Failed> {
        self.http.post(&self.url).send().await.map(drop).map_err(|_| Failed::Network)
    }
    async fn where_there_is_nothing(&self) -> Result<(), Failed> {
        loop {
            match self.step().await {
                Ok(()) => return Ok(()),
                Err(Failed::Empty) => sleep(1).await,
                Err(other) => return Err(other),
            }
        }
    }
    async fn loud_step(&self) -> Result<(), Failed> {
        self.http.post(&self.loud).send().await.map(drop).map_err(|_| Failed::Network) //~ retried-send
    }
    async fn where_it_broke(&self) -> Result<(), Failed> {
        loop {
            match self.loud_step().await {
                Ok(()) => return Ok(()),
                Err(Failed::Network) => sleep(1).await,
                Err(other) => return Err(other),
            }
        }
    }
}
// The text of an answer is an answer; that of a line that broke is none.
async fn by_text(http: &reqwest::Client, url: &str) -> anyhow::Result<()> {
    loop {
        let Err(error) = http.post(url).send().await else { return Ok(()) };
        if error.to_string().to_lowercase().contains("nonce too low") { continue }
        return Err(error.into());
    }
}
const BROKEN: &str = "connection reset";
async fn by_text_of_the_line(http: &reqwest::Client, url: &str) -> anyhow::Result<()> {
    loop {
        let Err(error) = http.post(url).send().await else { return Ok(()) }; //~ retried-send
        if error.to_string().contains(BROKEN) { continue }
        return Err(error.into());
    }
}
// It did not even get into the queue of what is to be sent.
async fn while_the_queue_is_full(producer: &rdkafka::producer::FutureProducer, make: impl Fn() -> Record) -> Result<(), KafkaError> {
    loop {
        match producer.send_result(make()) {
            Ok(_) => return Ok(()),
            Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _)) => sleep(1).await,
            Err((error, _)) => return Err(error),
        }
    }
}
async fn whatever_it_is(producer: &rdkafka::producer::FutureProducer, make: impl Fn() -> Record) -> Result<(), KafkaError> {
    let mut left = 3;
    loop {
        match producer.send_result(make()) { //~ retried-send
            Ok(_) => return Ok(()),
            Err((error, _)) if left == 0 => return Err(error),
            Err(_) => left -= 1,
        }
    }
}
// Only a token that was turned down is renewed, and the same said once more.
struct Authorised { http: reqwest::Client, url: String }
impl Authorised {
    async fn say(&self, token: &str) -> reqwest::Result<()> {
        self.http.post(&self.url).bearer_auth(token).send().await?.error_for_status().map(drop)
    }
    async fn with_a_new_token(&self) -> reqwest::Result<()> {
        for attempt in 0..2 {
            match self.say(&token(attempt)).await {
                Ok(()) => return Ok(()),
                Err(error) if attempt == 0 && is_retryable_auth_error(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    async fn shout(&self, token: &str) -> reqwest::Result<()> {
        self.http.post(&self.url).bearer_auth(token).send().await?.error_for_status().map(drop) //~ retried-send
    }
    async fn whatever_it_was(&self) -> reqwest::Result<()> {
        for attempt in 0..2 {
            match self.shout(&token(attempt)).await {
                Ok(()) => return Ok(()),
                Err(error) if attempt == 0 && is_retryable_error(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
