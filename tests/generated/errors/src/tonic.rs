use tonic::transport::Endpoint;
use tonic::{Code, Status};
use tower::ServiceExt as _;

use crate::{certain, nobody};

#[test]
fn every_code() {
    for (code, expected) in [
        (Code::Ok, "unknown"),
        (Code::Cancelled, "unknown"),
        (Code::Unknown, "unknown"),
        (Code::InvalidArgument, "rejected"),
        (Code::DeadlineExceeded, "unknown"),
        (Code::NotFound, "rejected"),
        (Code::AlreadyExists, "unknown"),
        (Code::PermissionDenied, "not attempted"),
        (Code::ResourceExhausted, "unknown"),
        (Code::FailedPrecondition, "rejected"),
        (Code::Aborted, "unknown"),
        (Code::OutOfRange, "rejected"),
        (Code::Unimplemented, "rejected"),
        (Code::Internal, "unknown"),
        (Code::Unavailable, "unknown"),
        (Code::DataLoss, "unknown"),
        (Code::Unauthenticated, "not attempted"),
    ] {
        assert_eq!(certain(Status::new(code, "why")), expected, "{code:?}");
    }
}

#[tokio::test]
async fn a_connection_that_never_stood() {
    let channel = Endpoint::from_shared(format!("http://{}", nobody().await)).unwrap();
    let mut channel = channel.connect_lazy();
    let refused = match channel.ready().await {
        Err(error) => error,
        Ok(ready) => {
            use tower::Service as _;
            ready.call(http_request()).await.unwrap_err()
        }
    };
    let status = Status::from_error(Box::new(refused));
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(certain(status), "not attempted");
}

fn http_request() -> hyper::Request<tonic::body::Body> {
    hyper::Request::new(tonic::body::Body::empty())
}
