//~ depends serenity
// Functions that stood under another type in an older version.
use serenity::client::Context;
use serenity::model::interactions::application_command::ApplicationCommand;

async fn ready(ctx: Context) {
    let commands = ApplicationCommand::set_global_application_commands(&ctx.http, |commands| { //~ mutate
        commands.create_application_command(|command| command.name("ping"))
    })
    .await;
    ApplicationCommand::named(&ctx.http, "ping").await;
}
