//~ depends edgedb-tokio, poise, serenity
use poise::serenity_prelude::CacheHttp;

// A store of the team's own.
async fn insert(conn: &edgedb_tokio::Client, name: &str) -> anyhow::Result<()> {
    conn.execute("INSERT User { name := <str>$0 }", &(name,)).await?;
    Ok(())
}

async fn sync<T: CacheHttp + 'static>(held: std::sync::Arc<T>, channel: u64, message: u64, edit: Edit) {
    held.http().edit_message(channel, message, &edit, vec![]).await.ok(); //~ mutate
}
