// curl's stateful handle: setters decide what `perform` does. SEND
fn f() -> Result<(), curl::Error> {
    let mut e = curl::easy::Easy::new();
    e.url("https://x")?; e.post(true)?; e.post_fields_copy(b"a=1")?;
    e.perform() //~ SEND
}
