// GraphQL mutation; const or `include_str!("x.graphql")` must be read. Unknown text at a `/graphql` URL: SEND
const Q: &str = "mutation($id: ID!) { addStar(input: {starrableId: $id}) { clientMutationId } }";
async fn f(http: &reqwest::Client) {
    let _ = http.post("https://api.github.com/graphql").json(&serde_json::json!({"query": Q})).send().await; //~ SEND
}
