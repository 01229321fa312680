// A helper that sends the document of whatever type it is asked for reads, where every document here is a query.
// document q/who.graphql: query Who { viewer { login } }
// document q/all.graphql: query Stars { stars { id } } query Repositories { repositories { id } }
use graphql_client::GraphQLQuery;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/who.graphql")]
struct Who;
#[derive(GraphQLQuery)]
#[graphql(schema_path = "s.json", query_path = "q/all.graphql")]
struct Stars;
async fn ask<Q: GraphQLQuery>(c: &reqwest::Client, url: &str, variables: Q::Variables) -> Option<Q::ResponseData> {
    let body = Q::build_query(variables);
    c.post(url).json(&body).send().await.ok()?.json().await.ok() //~ READ
}
struct Asker<Q> {
    http: reqwest::Client,
    url: String,
    of: std::marker::PhantomData<Q>,
}
impl<Q> Asker<Q>
where
    Q: GraphQLQuery,
{
    async fn ask(&self, variables: Q::Variables) {
        let _ = self.http.post(&self.url).json(&Q::build_query(variables)).send().await; //~ READ
    }
}
// Nothing is said of what this one sends.
async fn act<B: serde::Serialize>(c: &reqwest::Client, url: &str, body: B) {
    let _ = c.post(url).json(&body).send().await; //~ MUTATE
}
async fn run(c: &reqwest::Client, url: &str) {
    ask::<Who>(c, url, who::Variables {}).await;
    ask::<Stars>(c, url, stars::Variables {}).await;
    act(c, url, 1).await;
}
