// Free functions. SEND, READ
fn f(u: &str) {
    let _ = ureq::post(u).send_json(serde_json::json!({"a": 1})); //~ SEND
    let _ = ureq::get(u).call(); //~ READ
}
