//~ depends groqai, tbot, google-sheets4, poise, serenity, reqwest
// The end of a chain says nothing; what was called before it does.
async fn ask(model: &str, all: Vec<Message>) -> anyhow::Result<()> {
    let groq = connect();
    groq.chat(model).messages(all).temperature(0.2).send().await?; //~ model
    groq.things(model).send().await?;
    Ok(())
}

async fn answer(ctx: Ctx, text: &str) {
    let result = context(ctx).send_message_in_reply(text).call().await; //~ send
    drop(result);
}

struct Own;

impl Own {
    fn send_photo_of(&self, id: u64) -> Pending {
        Pending::of(id)
    }
}

async fn own(id: u64) {
    unknown().send_photo_of(id).send().await;
}

// A message of a crate that is sent by something without a type.
async fn report(error: poise::FrameworkError<'_, Data, Error>) -> anyhow::Result<()> {
    let ctx = somewhere(error);
    ctx.send(poise::CreateReply::default().content("x")).await?; //~ send
    Ok(())
}

fn sheet(hub: &google_sheets4::Sheets<C>, data: ValueRange, id: &str) {
    let call = hub.spreadsheets().values_update(data, id, "A1").value_input_option("RAW");
    if let Err(error) = call.doit() { //~ mutate
        drop(error);
    }
    let _ = hub.spreadsheets().values_get(id, "A1").doit(); //~ read
}

async fn hook(ctx: &serenity::all::Context, channel: serenity::all::ChannelId) -> serenity::Result<()> {
    serenity::all::CreateWebhook::new("logs").execute(ctx, channel).await?; //~ mutate
    Ok(())
}
