//~ depends kovi, rocket_events, brigadier
// What a framework that nobody listed gives a closure is of that framework, and named for what it is.
use kovi::PluginBuilder as plugin;

async fn main() {
    plugin::on_msg(|event| async move {
        event.reply("pong"); //~ send
        event.borrow_text();
    });
    rocket_events::subscribe(async |client| {
        client.create_room("x").await.ok(); //~ mutate
        client.name().await;
    });
    local(|event| event.reply("pong"));
}

fn local(f: impl Fn(Event)) {}

struct App {
    event: std::sync::Arc<kovi::MsgEvent>,
}

fn ping(ctx: &brigadier::CommandContext<App>) -> i32 {
    let event = std::sync::Arc::clone(&ctx.source.event);
    event.reply("pong"); //~ send
    0
}
