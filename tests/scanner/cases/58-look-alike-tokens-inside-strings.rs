// Look-alike tokens inside strings, comments, doc examples and `stringify!`/`quote!`. NOT-OUTBOUND
/// ```
/// client.post("https://x").send().await?;
/// ```
fn f() -> &'static str { stringify!(client.post("https://x").send()) }
