//~ depends reqwest, teloxide
// A model and messages for it are a prompt, whatever the function is named; a GET of a bot's method does what the method
// is named; a verb written at the call of a helper is the one that it takes; an extension's method is the extension's.
use teloxide::Bot;

async fn get_tarot(http: &reqwest::Client, url: String, body: Question) -> anyhow::Result<String> {
    let body = Request { model: "gpt".to_owned(), messages: vec![body] };
    http.post(url).json(&body).send().await?.text().await //~ model
}
async fn get_fortune(http: &reqwest::Client, url: String, question: String) -> anyhow::Result<String> {
    let body = serde_json::json!({ "model": "gpt", "messages": [question], "stream": false });
    http.post(url).json(&body).send().await?.text().await //~ model
}
async fn paint(http: &reqwest::Client, url: String) -> anyhow::Result<String> {
    let body = serde_json::json!({ "model": "beetle", "colour": "red" });
    http.post(url).json(&body).send().await?.text().await //~ mutate
}

trait Stickers {
    async fn send_sticker_by_id(&self, chat: i64, file: &str) -> reqwest::Result<reqwest::Response>;
}
impl Stickers for Bot {
    async fn send_sticker_by_id(&self, chat: i64, file: &str) -> reqwest::Result<reqwest::Response> {
        let (api, token) = (self.api_url(), self.token());
        reqwest::get(format!("{api}/bot{token}/getMe")).await?;
        reqwest::get(format!("{api}/bot{token}/sendSticker?chat_id={chat}&sticker={file}")).await //~ send
    }
}
async fn stick(bot: Bot, chat: i64) {
    bot.send_sticker_by_id(chat, "id").await.ok();
    bot.send_sticker(chat, "id").await.ok(); //~ send
}

fn signed(verb: &str, url: String, body: String) -> reqwest::RequestBuilder {
    let http = reqwest::Client::new();
    match verb {
        "GET" => http.get(url),
        "POST" => http.post(url).body(body),
        "DELETE" => http.delete(url),
        _ => panic!("not supported"),
    }
}
async fn orders(url: String, verb: &str) -> anyhow::Result<()> {
    signed("GET", url.clone(), String::new()).send().await?;
    signed("DELETE", url.clone(), String::new()).send().await?; //~ mutate
    signed(verb, url, String::new()).send().await?; //~ charge
    Ok(())
}
