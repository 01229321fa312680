//~ depends cynic, reqwest
use cynic::http::ReqwestExt;
use cynic::{MutationBuilder, QueryBuilder};

#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "QueryRoot", variables = "ReviewsVariables")]
pub struct ReviewsQuery {
    pub reviews: Vec<Review>,
}

#[derive(cynic::QueryFragment)]
#[cynic(graphql_type = "MutationRoot", variables = "UpdateVariables")]
pub struct UpdateMutation {
    pub update_review: Review,
}

async fn reviews(http: &reqwest::Client, url: &str) -> anyhow::Result<()> {
    let query = ReviewsQuery::build(ReviewsVariables { approved: false });
    http.post(url).run_graphql(query).await?; //~ read
    http.post(url).run_graphql(ReviewsQuery::build(ReviewsVariables { approved: true })).await?; //~ read
    let mutation = UpdateMutation::build(UpdateVariables { approved: true });
    http.post(url).run_graphql(mutation).await?; //~ mutate
    Ok(())
}

async fn refresh_jwt(http: &reqwest::Client, url: &str) -> anyhow::Result<()> {
    let login = UpdateMutation::build(UpdateVariables { approved: true });
    http.post(url).run_graphql(login).await?; //~ auth
    Ok(())
}
