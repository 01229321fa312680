// Attribute macros (`#[async_trait]`, `#[instrument]`, `#[tool]`, `#[tokio::main]`): the body is plain source. SEND
#[tracing::instrument(skip_all)]
#[rmcp::tool(description = "send")]
async fn send_tool(http: reqwest::Client, u: String) { let _ = http.post(u).send().await; } //~ SEND
