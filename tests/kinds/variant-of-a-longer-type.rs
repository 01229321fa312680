//~ depends serenity
// A variant is named after the first part of the type that it holds, and not after a type beside the enum.
use serenity::all::{Channel, CreateInteractionResponse, Interaction};

async fn interaction_create(ctx: &serenity::all::Context, interaction: Interaction, reply: CreateInteractionResponse) {
    if let Interaction::Command(command) = interaction {
        command.create_response(&ctx.http, reply).await.ok(); //~ send
    }
}

async fn tell(ctx: &serenity::all::Context, channel: Channel) {
    if let Channel::Guild(channel) = channel {
        channel.say(&ctx.http, "x").await.ok(); //~ send
    }
}
