// GraphQL documents in files: what the file says decides, of several operations the one that the type is named like.
// document src/who.graphql: query Who { viewer { login } }
// document src/star.graphql: mutation AddStar { addStar { id } }
// document q/all.graphql: query Stars { stars { id } } mutation Unstar { unstar { id } }
use graphql_client::GraphQLQuery;
const WHO: &str = include_str!("who.graphql");
const STAR: &str = include_str!("star.graphql");
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/all.graphql")]
struct Stars;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/all.graphql")]
struct Unstar;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/lost.graphql")]
struct Lost;
async fn f(c: &reqwest::Client, u: &str) {
    let _ = c.post(u).json(&serde_json::json!({ "query": WHO })).send().await; //~ READ
    let _ = c.post(u).json(&serde_json::json!({ "query": STAR })).send().await; //~ MUTATE
    let _ = graphql_client::reqwest::post_graphql::<Stars, _>(c, u, ()).await; //~ READ
    let _ = graphql_client::reqwest::post_graphql::<Unstar, _>(c, u, ()).await; //~ MUTATE
    let _ = graphql_client::reqwest::post_graphql::<Lost, _>(c, u, ()).await; //~ MUTATE
    let body = Stars::build_query(stars::Variables {});
    let _ = c.post(u).json(&body).send().await; //~ READ
}
async fn health(c: &reqwest::Client, u: &str) {
    let _ = c.post(u).json(&serde_json::json!({ "query": "{ __typename }" })).send().await; //~ READ
}
