//~ depends mxlink
// A crate that another one passes on under its own name.
use mxlink::matrix_sdk::Room;

async fn tell(room: &Room, content: Content) {
    room.send(content).await.ok(); //~ send
    room.leave().await.ok(); //~ mutate
}
