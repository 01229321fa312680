// External programs. SEND, SEND, NOT-OUTBOUND
fn f() {
    let _ = std::process::Command::new("curl").args(["-X", "POST", "https://x"]).status(); //~ SEND
    let _ = std::process::Command::new("git").arg("push").status(); //~ SEND
    let _ = std::process::Command::new("git").arg("status").status();
}
