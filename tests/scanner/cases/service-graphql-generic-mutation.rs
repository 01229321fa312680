// One mutation among the documents, or one that nobody can read, and such a helper may be asked for it.
// document q/who.graphql: query Who { viewer { login } }
// document q/star.graphql: mutation AddStar { addStar { id } }
use graphql_client::GraphQLQuery;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/who.graphql")]
struct Who;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/star.graphql")]
struct AddStar;
async fn ask<Q: GraphQLQuery>(c: &reqwest::Client, url: &str, variables: Q::Variables) {
    let _ = c.post(url).json(&Q::build_query(variables)).send().await; //~ MUTATE
}
