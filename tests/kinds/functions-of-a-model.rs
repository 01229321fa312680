//~ depends openai_tiny
// Functions of a crate that is named after a model, whose names say that it is asked.
async fn f(prompt: String) {
    let _ = openai_tiny::chat::run(prompt.clone()).await; //~ model
    let _ = openai_tiny::chat::run_it(prompt).await; //~ model
}
