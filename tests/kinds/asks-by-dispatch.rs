//~ depends tonic
mod pb {
    tonic::include_proto!("iotics.api");
}

async fn search(client: &mut pb::search_api_client::SearchApiClient<Channel>, request: Request) -> anyhow::Result<()> {
    client.dispatch_search_request(request.clone()).await?; //~ read
    client.dispatch_input(request).await?; //~ mutate
    Ok(())
}
