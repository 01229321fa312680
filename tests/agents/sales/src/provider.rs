//! What a provider's answer means for the ledger.

use reqwest::Response;
use serde::de::DeserializeOwned;

use crate::onlyonce::SendError;

/// The answer of a provider that took the request; a status of failure as what it means.
pub async fn read<T: DeserializeOwned>(response: Response) -> Result<T, SendError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response.json().await?);
    }
    let detail = response.text().await.unwrap_or_default();
    Err(SendError::from_status(
        status.as_u16(),
        format!("{status}: {detail}"),
    ))
}
