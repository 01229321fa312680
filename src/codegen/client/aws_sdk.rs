use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

/// A request that could not be built is not attempted, and so is one that AWS turned away because of
/// its credentials or of too many requests, which it answers with 400 too. A status counts as
/// [`SendError::from_status`] says; all else is unknown, a connection that failed too.
///
/// This holds for a client that sends once (`RetryConfig::disabled()`): by itself it sends three
/// times, and tells of the last alone.
impl<E> From<SdkError<E, HttpResponse>> for SendError
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
{
    fn from(error: SdkError<E, HttpResponse>) -> Self {
        let detail = with_causes(&error);
        match &error {
            SdkError::ConstructionFailure(_) => Self::NotAttempted(detail),
            SdkError::ServiceError(refusal) => {
                let code = refusal.err().code().unwrap_or_default();
                if is_turned_away(code) {
                    Self::NotAttempted(detail)
                } else if tells_of_another(code) {
                    Self::Unknown(detail)
                } else {
                    Self::from_status(refusal.raw().status().as_u16(), detail)
                }
            }
            // Also what the SDK may come to tell beside timeouts, lost connections and answers that
            // cannot be read.
            _ => Self::Unknown(detail),
        }
    }
}

/// AWS's codes for what it did not look at: throttled requests, and credentials to be mended.
fn is_turned_away(code: &str) -> bool {
    matches!(
        code,
        "BandwidthLimitExceeded"
            | "EC2ThrottledException"
            | "ExpiredToken"
            | "ExpiredTokenException"
            | "IncompleteSignature"
            | "InvalidClientTokenId"
            | "InvalidSignatureException"
            | "MissingAuthenticationToken"
            | "MissingAuthenticationTokenException"
            | "NotAuthorized"
            | "OptInRequired"
            | "ProvisionedThroughputExceededException"
            | "RequestExpired"
            | "RequestLimitExceeded"
            | "RequestThrottled"
            | "RequestThrottledException"
            | "RequestTimeTooSkewed"
            | "SlowDown"
            | "ThrottledException"
            | "Throttling"
            | "ThrottlingException"
            | "TooManyRequestsException"
            | "UnrecognizedClientException"
    ) || code.starts_with("AccessDenied")
}

/// AWS's codes for what says nothing of this request, or does not say that it was refused, though the
/// status may be 400.
fn tells_of_another(code: &str) -> bool {
    code.contains("Idempoten")
        || code.starts_with("RequestTimeout")
        || matches!(
            code,
            "PriorRequestNotComplete" | "TransactionInProgressException"
        )
}
