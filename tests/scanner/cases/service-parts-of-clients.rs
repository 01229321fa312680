// Clients that the catalog does not list, by the parts that they have: what is awaited and named as a write, writes.
use octorust_like::Client as GitHub;
struct Team { okta: okta_like::Client }
async fn f(github: &GitHub, map: &mut std::collections::HashMap<u8, u8>) -> anyhow::Result<()> {
    github.issues().create_comment("o", "r", 1, "done").await?; //~ MUTATE
    github.repos().get("o", "r").await?;
    github.users().insert("u").await?; //~ MUTATE
    map.insert(1, 2);
    Ok(())
}
impl Team {
    async fn add(&self, id: &str) {
        let _ = self.okta.groups().members().add_user(id).await; //~ MUTATE
        let _ = self.okta.groups().add_user(id);
    }
}
async fn local(store: &sled::Client) {
    let _ = store.trees().insert("u").await;
}
