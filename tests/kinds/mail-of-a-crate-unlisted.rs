//~ depends lettermint, async-trait
// A request of an unlisted crate that is executed on its client, and is named after what it asks for.
use lettermint::Query;
use lettermint::api::email::{BatchSendRequest, SendEmailRequest};
use lettermint::reqwest::LettermintClient;

struct Mailer {
    client: LettermintClient,
}

fn to_request(email: &Email) -> SendEmailRequest {
    SendEmailRequest { to: email.to.clone() }
}

impl Mailer {
    async fn send(&self, email: &Email) -> anyhow::Result<()> {
        let request = to_request(email);
        request.execute(&self.client).await?; //~ send
        Ok(())
    }

    async fn batch(&self, emails: &[Email]) -> anyhow::Result<()> {
        let requests: Vec<SendEmailRequest> = emails.iter().map(to_request).collect();
        let batch = BatchSendRequest::new(requests).map_err(|error| anyhow::anyhow!(error))?;
        batch.execute(&self.client).await?; //~ send
        Ok(())
    }
}
