//~ depends serenity, slack, slack_api, irc
// Blocking clients of old: nothing is awaited, and a value without a type is told by the client that its call is given.
use irc::client::prelude::*;
use serenity::http::Http;
use slack::RtmClient;
use std::sync::Arc;

fn tell(http: Arc<Http>, channels: &Channels, text: &str) -> Result<()> {
    let channel = channels.iter().find(|one| one.name == "general");
    channel.say(Arc::clone(&http), text)?; //~ send
    channel.name(Arc::clone(&http))?;
    Ok(())
}

fn hello(client: &RtmClient, channel: &str) {
    let _ = client.sender().send_message(channel, "Hi!"); //~ send
    let _ = client.sender().send_typing(channel);
}

// The client itself sent before 0.13.
fn on_event(client: &mut slack::RtmClient, channel: &str) {
    let _ = client.send_message(channel, "Hi!"); //~ send
}

// As did the server that a bot connects to before 0.13 of irc.
fn chat() {
    let server = IrcServer::new("config.json").unwrap();
    server.identify().unwrap();
    server.send_privmsg("#room", "text").unwrap(); //~ send
}

fn post(client: &Requests, token: &str, request: &slack_api::chat::PostMessageRequest) {
    let _ = slack_api::sync::chat::post_message(client, token, request); //~ send
    let _ = slack_api::sync::reactions::add(client, token, request); //~ mutate
    let _ = slack_api::sync::im::history(client, token, request);
}

// Commands that keep a session go to nobody.
fn keep(client: &Client, token: String) -> irc::error::Result<()> {
    client.send(Command::PONG(token, None))?;
    client.send(Command::JOIN("#room".into(), None, None))?;
    client.send(Command::PRIVMSG("#room".into(), "text".into()))?; //~ send
    Ok(())
}
