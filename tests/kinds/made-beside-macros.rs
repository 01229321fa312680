// Functions that a macro makes beside calls of other macros, of itself, and within an expression.
macro_rules! params {
    ($($name:ident),*) => { pub struct Params { $($name: String),* } };
}

macro_rules! define {
    (@make $name:ident, $path:expr) => {
        params!(text);

        pub async fn $name(client: &reqwest::Client) -> reqwest::Result<()> {
            client.post($path).send().await?; //~ mutate
            Ok(())
        }
    };
    ($name:ident, $path:expr) => {
        pub mod $name {
            define!(@make $name, $path);
            pub fn path() -> &'static str { $path }
        }
    };
}

define!(create_order, "https://api.example.com/orders");

macro_rules! told {
    ($client:expr) => {{
        async fn tell(client: &reqwest::Client) {
            client.delete("https://api.example.com/orders/1").send().await.ok(); //~ mutate
        }
        tell($client).await
    }};
}

async fn run(client: &reqwest::Client) {
    told!(client);
}
