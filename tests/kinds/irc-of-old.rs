//~ depends irc
// The client of 0.13, with the methods of its extension trait.
use irc::client::prelude::*;

fn answer(client: &IrcClient, target: &str) {
    client.send_privmsg(target, "hello").unwrap(); //~ send
    client.send_notice(target, "hello").unwrap(); //~ send
}
