//~ depends teloxide, reqwest
use teloxide::prelude::*;

fn bot(token: &str, client: reqwest::Client) -> Bot {
    Bot::with_client(token, client)
}

fn lazily(token: &str, client: reqwest::Client) -> Bot {
    let bot = Bot::with_client(token, client);
    bot.set_api_url(url())
}

static BOT: std::sync::LazyLock<Bot> = std::sync::LazyLock::new(|| {
    let bot = Bot::with_client("token", reqwest::Client::new());
    bot
});
