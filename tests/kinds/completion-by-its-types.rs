//~ depends reqwest, libsql
// What a function is given or gives says that a model is asked.
struct Model { http: reqwest::Client, base: String }
struct CompletionRequest { text: String }
struct CompletionResponse { text: String }
impl Model {
    async fn dispatch(&self, request: CompletionRequest) -> reqwest::Result<String> {
        self.http.post(&self.base).body(request.text).send().await?.text().await //~ model
    }
    async fn answer(&self, text: String) -> reqwest::Result<CompletionResponse> {
        let text = self.http.post(&self.base).body(text).send().await?.text().await?; //~ model
        Ok(CompletionResponse { text })
    }
    async fn other(&self, text: String) -> reqwest::Result<String> {
        self.http.post(&self.base).body(text).send().await?.text().await //~ mutate
    }
}
// The team's own database.
async fn open(connection: &libsql::Connection) {
    let _ = connection.execute_batch("pragma journal_mode = wal").await;
}
