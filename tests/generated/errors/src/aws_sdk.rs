use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::{ConnectorError, SdkError};
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::error::ErrorMetadata;

use crate::certain;

type Failure = SdkError<ErrorMetadata, HttpResponse>;

fn answer(status: u16) -> HttpResponse {
    HttpResponse::new(StatusCode::try_from(status).unwrap(), SdkBody::empty())
}

fn refused(status: u16, code: &str) -> Failure {
    SdkError::service_error(ErrorMetadata::builder().code(code).build(), answer(status))
}

#[test]
fn what_the_service_answers() {
    for (status, code, expected) in [
        (400, "ValidationException", "rejected"),
        (402, "PaymentRequired", "rejected"),
        (404, "ResourceNotFoundException", "rejected"),
        (422, "Unprocessable", "rejected"),
        (401, "Unauthorized", "not attempted"),
        (403, "SignatureDoesNotMatch", "not attempted"),
        (400, "AccessDeniedException", "not attempted"),
        (400, "ExpiredTokenException", "not attempted"),
        (400, "ThrottlingException", "not attempted"),
        (429, "TooManyRequestsException", "not attempted"),
        (503, "SlowDown", "not attempted"),
        (400, "RequestTimeTooSkewed", "not attempted"),
        (400, "RequestTimeout", "unknown"),
        (400, "RequestTimeoutException", "unknown"),
        (400, "IdempotentParameterMismatchException", "unknown"),
        (400, "PriorRequestNotComplete", "unknown"),
        (400, "TransactionInProgressException", "unknown"),
        (408, "Timeout", "unknown"),
        (409, "ConflictException", "unknown"),
        (429, "SomethingElse", "unknown"),
        (500, "InternalFailure", "unknown"),
        (503, "ServiceUnavailable", "unknown"),
    ] {
        assert_eq!(certain(refused(status, code)), expected, "{status} {code}");
    }
}

#[test]
fn what_came_without_an_answer() {
    let io = || -> Box<dyn std::error::Error + Send + Sync> { "reset".into() };
    assert_eq!(certain(Failure::construction_failure("no region")), "not attempted");
    assert_eq!(certain(Failure::timeout_error("timeout")), "unknown");
    assert_eq!(certain(Failure::dispatch_failure(ConnectorError::io(io()))), "unknown");
    assert_eq!(certain(Failure::dispatch_failure(ConnectorError::timeout(io()))), "unknown");
    assert_eq!(certain(Failure::response_error("not JSON", answer(200))), "unknown");
}
