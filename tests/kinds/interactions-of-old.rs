//~ depends serenity
// Before 0.12 of serenity, builders were given to closures.
use serenity::client::Context;
use serenity::model::application::interaction::message_component::MessageComponentInteraction;

async fn answer(ctx: &Context, interaction: &MessageComponentInteraction) -> serenity::Result<()> {
    interaction.create_interaction_response(&ctx, |response| response.kind(Kind::DeferredUpdateMessage)).await?; //~ send
    interaction.edit_original_interaction_response(&ctx, |response| response.content("x")).await?; //~ mutate
    Ok(())
}

async fn ask(ctx: &Context, msg: &serenity::model::channel::Message) -> serenity::Result<()> {
    msg.channel_id
        .send_message(&ctx, |message| {
            message.content("?").components(|rows| {
                rows.create_action_row(|row| row.create_button(|button| button.custom_id(1).label("yes")))
            })
        }) //~ send
        .await?;
    let typing = msg.channel_id.start_typing(&ctx.http)?; //~ read
    typing.stop();
    Ok(())
}

async fn collected(ctx: &Context) {
    waited_for(ctx)
        .then(|interaction| async move {
            interaction.create_interaction_response(&ctx, |response| response.kind(Kind::Pong)).await.ok(); //~ send
        })
        .collect::<Vec<_>>()
        .await;
}

async fn ready(ctx: &Context, guild: serenity::model::id::GuildId) -> serenity::Result<()> {
    serenity::model::id::GuildId::set_application_commands(&guild, &ctx.http, |commands| {
        commands.create_application_command(|command| command.name("ping"))
    }) //~ mutate
    .await?;
    serenity::model::application::command::Command::create_global_application_command(&ctx.http, |command| {
        command.name("help")
    }) //~ mutate
    .await?;
    Ok(())
}
