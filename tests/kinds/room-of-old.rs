//~ depends matrix-sdk
// Before 0.7 of matrix-sdk a joined room had a type of its own, and a message was given with its transaction's id.
use matrix_sdk::Client;
use matrix_sdk::room::{Joined, Room};

struct Context<'a> {
    room: &'a Joined,
    client: &'a Client,
}

async fn tell(context: Context<'_>, client: &Client, id: &RoomId, text: Text) -> anyhow::Result<()> {
    context.room.send(text.clone(), None).await?; //~ send
    let room = client.get_joined_room(id).context("not there")?;
    room.send(text, None).await?; //~ send
    room.typing_notice(true).await?; //~ read
    room.leave().await?; //~ mutate
    Ok(())
}

async fn on_message(event: Event, room: Room) -> anyhow::Result<()> {
    let Room::Joined(room) = room else { return Ok(()) };
    room.send(answer(event), None).await?; //~ send
    Ok(())
}

async fn on_invitation(room: Room) -> anyhow::Result<()> {
    if let Room::Invited(room) = room {
        room.accept_invitation().await?; //~ mutate
    }
    Ok(())
}

// What the client keeps is kept on this machine.
async fn save(client: &Client, token: &str) -> anyhow::Result<()> {
    client.store().set_custom_value(b"token", token.into()).await?;
    Ok(())
}
