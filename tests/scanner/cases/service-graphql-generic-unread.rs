// A document that is not there may be anything.
// document q/who.graphql: query Who { viewer { login } }
use graphql_client::GraphQLQuery;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/who.graphql")]
struct Who;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/lost.graphql")]
struct Lost;
async fn ask<Q: GraphQLQuery>(c: &reqwest::Client, url: &str, variables: Q::Variables) {
    let _ = c.post(url).json(&Q::build_query(variables)).send().await; //~ MUTATE
}
