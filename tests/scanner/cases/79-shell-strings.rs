// Shell strings: program is a variable or `sh -c`. Literal containing a network tool: SEND; run-time string (agent shell tool): UNKNOWN, named in the coverage block
fn f(cmd: &str) {
    let _ = std::process::Command::new("sh").arg("-c").arg("curl -d @x https://x").output(); //~ SEND
    let _ = std::process::Command::new("sh").arg("-c").arg(cmd).output(); //~ UNKNOWN
}
