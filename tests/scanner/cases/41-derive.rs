// `#[derive(GraphQLQuery)]`: open the query file named in the attribute. SEND if it holds a mutation
#[derive(graphql_client::GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/add_star.graphql")]
struct AddStar;
async fn f(c: &reqwest::Client, v: add_star::Variables) { let _ = graphql_client::reqwest::post_graphql::<AddStar, _>(c, "https://x", v).await; } //~ SEND
