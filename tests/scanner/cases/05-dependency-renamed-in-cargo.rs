// Dependency renamed in Cargo.toml (`reqwest_0_12 = { package = "reqwest", .. }`): map manifest keys to package names before resolving. SEND
async fn f(c: &reqwest_0_12::Client, u: &str) {
    let _ = c.patch(u).body("{}").send().await; //~ SEND
}
