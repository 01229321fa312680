// A project's own wrapper macro (12 of the 18 sites both matchers missed). Unknown macro name: still parse its tokens. SEND
fn f(h: reqwest::Client) {
    zeroclaw_spawn::spawn!(async move {
        let _ = h.post("https://hooks.example/x").send().await; //~ SEND
    });
}
