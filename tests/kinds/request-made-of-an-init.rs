//~ depends worker, reqwest
// A worker's request has its method from what it is made of, in a chain, a literal or statements of their own, and goes
// out behind a variant.
use worker::*;

async fn tell(url: &str, payload: String) -> Result<()> {
    let mut init = RequestInit::new();
    init.with_method(Method::Put);
    init.with_body(Some(payload.into()));
    let request = Request::new_with_init(url, &init)?;
    let mut response = Fetch::Request(request).send().await?; //~ mutate
    Ok(())
}

async fn look(url: &str) -> Result<()> {
    let mut init = RequestInit::new();
    init.with_method(Method::Get);
    let request = Request::new_with_init(url, &init)?;
    Fetch::Request(request).send().await?;
    Fetch::Request(Request::new(url, Method::Get)?).send().await?;
    Fetch::Url(Url::parse(url)?).send().await?;
    Ok(())
}

async fn more(url: &str) -> Result<()> {
    let request = Request::new_with_init(url, RequestInit::new().with_method(Method::Delete))?;
    Fetch::Request(request).send().await?; //~ mutate
    Fetch::Request(Request::new(url, Method::Post)?).send().await?; //~ mutate
    let init = RequestInit { method: Method::Patch, ..RequestInit::default() };
    Fetch::Request(Request::new_with_init(url, &init)?).send().await?; //~ mutate
    Ok(())
}

// A store of the team's own is put into, not a request.
async fn keep(kv: kv::KvStore, key: &str, value: &str) -> Result<()> {
    kv.put(key, value)?.execute().await?;
    Ok(())
}
