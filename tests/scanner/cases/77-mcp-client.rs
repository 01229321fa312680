// MCP client: the tool name decides at run time. Literal name in the config read list: READ; else SEND
async fn f(mcp: &rmcp::service::Peer<rmcp::RoleClient>, p: rmcp::model::CallToolRequestParams) {
    let _ = mcp.call_tool(p).await; //~ SEND
    let _ = mcp.list_all_tools().await; //~ READ
}
