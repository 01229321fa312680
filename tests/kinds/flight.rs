//~ depends arrow-flight
// A first word that says nothing goes before the verb, and who listens reads.
use arrow_flight::flight_service_client::FlightServiceClient;

async fn fetch(client: &mut FlightServiceClient<Channel>, ticket: Ticket, stream: Stream) -> anyhow::Result<()> {
    client.do_get(ticket).await?; //~ read
    client.listen_changes(ticket).await?; //~ read
    client.do_put(stream).await?; //~ mutate
    Ok(())
}
