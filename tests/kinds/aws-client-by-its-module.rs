//~ depends aws-sdk-secretsmanager
// The client by the path of its module.
use aws_sdk_secretsmanager::client::Client as SecretsManagerClient;

pub async fn secret(config: &aws_config::SdkConfig) {
    let client = SecretsManagerClient::new(config);
    let _ = client.get_secret_value().secret_id("s").send().await; //~ read
    let _ = client.delete_secret().secret_id("s").send().await; //~ mutate
}
