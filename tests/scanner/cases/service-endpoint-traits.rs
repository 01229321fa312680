// One exit for many endpoints: the verb of any of them counts, however many there are.
trait Endpoint {
    fn path(&self) -> String;
    fn method(&self) -> reqwest::Method { reqwest::Method::GET }
}
struct A; struct B; struct C; struct D; struct E; struct F; struct G; struct H;
impl Endpoint for A { fn path(&self) -> String { "a".into() } }
impl Endpoint for B { fn path(&self) -> String { "b".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for C { fn path(&self) -> String { "c".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for D { fn path(&self) -> String { "d".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for E { fn path(&self) -> String { "e".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for F { fn path(&self) -> String { "f".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for G { fn path(&self) -> String { "g".into() } fn method(&self) -> reqwest::Method { reqwest::Method::GET } }
impl Endpoint for H { fn path(&self) -> String { "h".into() } fn method(&self) -> reqwest::Method { reqwest::Method::PATCH } }
struct Client { http: reqwest::Client, base: String }
impl Client {
    async fn execute<T: Endpoint>(&self, endpoint: &T) -> reqwest::Result<reqwest::Response> {
        let url = format!("{}/{}", self.base, endpoint.path());
        self.http.request(endpoint.method(), url).send().await //~ MUTATE
    }
}
struct Vault;
async fn vault(client: &impl rustify::Client, endpoint: impl rustify::Endpoint<Response = ()>, middle: &Vault) {
    let _ = endpoint.with_middleware(middle).exec(client).await; //~ MUTATE
}
