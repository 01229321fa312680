//~ depends serenity
// What a macro is given has no type in its arm; its name and what the package depends on tell the call.
use serenity::model::channel::Message;
use serenity::prelude::Context;

macro_rules! say {
    ($ctx: ident, $msg: ident, $text: expr) => {
        if let Err(why) = $msg.channel_id.say(&$ctx.http, $text).await {
            println!("{why:?}");
        }
    };
}

macro_rules! wait {
    ($timer: ident, $time: expr) => {
        $timer.sleep($time).await
    };
}

async fn answer(ctx: &Context, msg: &Message) {
    say!(ctx, msg, "text"); //~ send
    wait!(msg, 5);
}
