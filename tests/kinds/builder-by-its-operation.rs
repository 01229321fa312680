//~ depends google-cloud-aiplatform-v1, google-cloud-secretmanager-v1, aws-sdk-s3vectors, matrix-sdk
// The builder that a client's method gives is named after the operation, and `send` ends it.

struct Model {
    cell: tokio::sync::OnceCell<google_cloud_aiplatform_v1::client::PredictionService>,
}

impl Model {
    async fn inner(&self) -> Result<&google_cloud_aiplatform_v1::client::PredictionService, Error> {
        self.cell.get_or_try_init(|| async { make() }).await
    }
    async fn complete(&self, config: Option<Config>) -> Result<Answer, Error> {
        let mut request = self.inner().await.map_err(|error| Error(error.to_string()))?.generate_content().set_model("m");
        if let Some(config) = config {
            request = request.set_generation_config(config);
        }
        Ok(request.send().await.map_err(Error::rpc)?) //~ model
    }
}

async fn secrets(client: &google_cloud_secretmanager_v1::client::SecretManagerService) -> Result<(), Error> {
    client.access_secret_version().set_name("n").send().await?; //~ read
    client.list_secrets().set_parent("p").send().await?; //~ read
    client.add_secret_version().set_parent("p").send().await?; //~ mutate
    Ok(())
}

async fn vectors(client: &aws_sdk_s3vectors::Client) -> Result<(), Error> {
    client.query_vectors().top_k(3).send().await?; //~ read
    client.put_vectors().vectors(vec![]).send().await?; //~ mutate
    Ok(())
}

async fn login(device: Option<&str>) -> Result<(), Error> {
    let client = matrix_sdk::Client::builder().server_name("s").build().await?;
    let mut login = client.matrix_auth().login_username("me", "secret"); //~ auth
    if let Some(device) = device {
        login = login.device_id(device);
    }
    login.send().await?;
    client.matrix_auth().login_token("t").send().await?; //~ auth
    client.matrix_auth().login_token("t").await?; //~ auth
    client.matrix_auth().logout().await?; //~ auth
    Ok(())
}
