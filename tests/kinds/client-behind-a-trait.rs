//~ depends vv-llm, rig, tower
// A trait of a crate that nobody listed is told like a client of it, by its name and that of its method.
use std::sync::Arc;

async fn complete(client: Arc<dyn vv_llm::ChatClient>, request: Request) -> Result<Answer, Error> {
    let completion = client.create_completion(request).await?; //~ model
    Ok(completion)
}

async fn by_generic<C: vv_llm::ChatClient>(client: &C, request: Request) -> Result<Answer, Error> {
    client.create_completion(request).await //~ model
}

// What serves is no client, and nothing is asked of what only has the name of a store.
async fn answers<S: tower::Service<Request>>(service: &mut S, request: Request) -> Result<Answer, Error> {
    service.call(request).await
}

// `build` of a type that is not known builds.
use rig::providers::openai;

async fn agent(key: &str, model: &str, question: &str) -> Result<String, Error> {
    let client = openai::Client::builder().api_key(key).build().map_err(|error| Error(error.to_string()))?;
    let agent = client.agent(model).name("assistant").default_max_turns(3).build();
    agent.prompt(question).max_turns(3).await.map_err(Error::from) //~ model
}
