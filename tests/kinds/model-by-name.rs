// A model's address is mostly configured: the name of the function, its type or its module tells.
struct Provider {
    http: reqwest::Client,
    base: String,
}

impl Provider {
    async fn chat_completions(&self, url: &str) -> reqwest::Result<reqwest::Response> {
        self.http.post(url).send().await //~ model
    }

    async fn rerank(&self) -> reqwest::Result<reqwest::Response> {
        self.stream_of(self.http.post(&self.base)).await
    }

    async fn stream_of(&self, builder: reqwest::RequestBuilder) -> reqwest::Result<reqwest::Response> {
        builder.send().await //~ model
    }
}

mod llamacpp {
    pub struct Server(reqwest::Client);

    impl Server {
        pub async fn ask(&self, url: &str) {
            let _ = self.0.post(url).send().await; //~ model
        }
    }
}

mod llm {
    pub async fn post(http: &reqwest::Client, url: &str) {
        let _ = http.post(url).send().await; //~ model
    }

    pub async fn save_settings(http: &reqwest::Client, url: &str) {
        let _ = http.post(url).send().await; //~ mutate
    }
}

mod openai {
    pub struct Client {
        http: reqwest::Client,
        base: String,
    }

    impl Client {
        pub async fn send_responses_request(&self) {
            let _ = self.http.post(format!("{}/responses", self.base)).send().await; //~ model
        }

        pub async fn upload_file(&self) {
            let _ = self.http.post(format!("{}/files", self.base)).send().await; //~ mutate
        }
    }
}
