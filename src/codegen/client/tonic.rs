/// gRPC's codes by the HTTP statuses that they stand for: an argument, a state or a method that is
/// refused is a refusal, with refused credentials nothing was done, and so it was when the connection
/// never stood. All else is unknown, `UNAVAILABLE` and `RESOURCE_EXHAUSTED` too.
///
/// This holds for a channel whose layers send nothing again by themselves.
impl From<tonic::Status> for SendError {
    fn from(status: tonic::Status) -> Self {
        let detail = with_causes(&status);
        match status.code() {
            tonic::Code::FailedPrecondition
            | tonic::Code::InvalidArgument
            | tonic::Code::NotFound
            | tonic::Code::OutOfRange
            | tonic::Code::Unimplemented => Self::Rejected(detail),
            tonic::Code::PermissionDenied | tonic::Code::Unauthenticated => {
                Self::NotAttempted(detail)
            }
            _ if never_connected(&status) => Self::NotAttempted(detail),
            _ => Self::Unknown(detail),
        }
    }
}

/// tonic marks what failed before there was a connection.
fn never_connected(error: &dyn std::error::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<tonic::ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}
