//~ depends google-bigquery2, google-gmail1
// A hub's builders have no type here: the innermost verb of the chain tells.
async fn costs(hub: &google_bigquery2::Bigquery<Connector>, request: QueryRequest) {
    let _ = hub.jobs().query(request, "project").doit().await; //~ read
    let _ = hub.jobs().insert(Job::default(), "project").doit().await; //~ mutate
}
