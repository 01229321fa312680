//~ depends poise, teloxide, posthog-rs, songbird
// A message that another call is given is built and not sent; measurements go to the team itself; a context without a
// type answers whom it holds.
use poise::CreateReply;

async fn play(ctx: poise::Context<'_, Data, Error>) -> Result<(), Error> {
    ctx.send(CreateReply::default().content("playing").reply(true)).await?; //~ send
    let manager = songbird::get(ctx.serenity_context()).await.unwrap();
    manager.remove(1).await?;
    Ok(())
}

async fn wait(ctx: poise::ApplicationContext<'_, Data, Error>) -> Result<(), Error> {
    ctx.defer_response(true).await?; //~ mutate
    Ok(())
}

async fn measured(client: &posthog_rs::Client, event: Event) {
    client.capture(event).await.ok(); //~ telemetry
}

async fn handle(rx: Updates) {
    rx.commands().for_each_concurrent(None, |(cx, command)| async move {
        match command {
            Command::Ping => cx.answer("Pong!").send().await.ok(), //~ send
            Command::Quiet => cx.quiet().send().await.ok(),
        };
    });
}
