// A helper that puts the document of its caller into a struct does what each caller's document says.
#[derive(serde::Serialize)]
struct Request<'a, V> {
    query: &'a str,
    variables: V,
}
struct Api {
    http: reqwest::Client,
    url: String,
}
impl Api {
    async fn read<V: serde::Serialize>(&self, query: &str, variables: V) {
        let _ = self.http.post(&self.url).json(&Request { query, variables }).send().await; //~ READ
    }
    async fn either<V: serde::Serialize>(&self, query: &str, variables: V) {
        let _ = self.http.post(&self.url).json(&Request { query, variables }).send().await; //~ MUTATE
    }
    async fn repositories(&self) {
        static QUERY: &str = "query($owner: String!) { repository(owner: $owner) { id } }";
        self.read(QUERY, 1).await;
    }
    async fn star(&self) {
        self.either("query { viewer { login } }", 1).await;
        self.either("mutation { addStar { id } }", 1).await;
    }
}
