//~ depends openai_tiny
// A function of a crate that is named after a model, and whose name says that it is asked.
async fn f(prompt: String) {
    let _ = openai_tiny::chat::run(prompt).await; //~ model
}
