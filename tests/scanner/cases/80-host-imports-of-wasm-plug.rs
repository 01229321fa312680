// Host imports of WASM plug-ins (WIT): the function comes from `wit_bindgen::generate!`. Config entry: path suffix + which argument is the method. SEND
wit_bindgen::generate!({ world: "tool", path: "wit" });
fn f(body: &[u8]) {
    let _ = near::agent::host::http_request("POST", "https://slack.com/api/chat.postMessage", "{}", Some(body), None); //~ SEND
}
