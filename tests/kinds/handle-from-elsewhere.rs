//~ depends curl
// A stateful handle that is a parameter or a field was set elsewhere; one that is made here was not.
fn perform(handle: &mut curl::easy::Easy) -> Result<(), curl::Error> {
    handle.perform() //~ mutate
}

fn fetch(url: &str) -> Result<(), curl::Error> {
    let mut handle = curl::easy::Easy::new();
    handle.url(url)?;
    handle.perform() //~ read
}

fn handle_request(handle: &mut curl::easy::Easy, out: &mut Vec<u8>) -> Result<(), curl::Error> {
    let mut handle = handle.transfer();
    handle.write_function(|data| Ok(data.len()))?;
    handle.perform() //~ mutate
}

fn give(url: &str) -> Result<(), curl::Error> {
    let mut easy = curl::easy::Easy::new();
    easy.url(url)?;
    easy.post(true)?;
    let mut transfer = easy.transfer();
    transfer.perform() //~ mutate
}
