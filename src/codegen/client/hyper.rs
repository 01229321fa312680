/// Only a connection that never stood counts as not attempted; all else is unknown.
impl From<hyper_util::client::legacy::Error> for SendError {
    fn from(error: hyper_util::client::legacy::Error) -> Self {
        let detail = with_causes(&error);
        if error.is_connect() {
            Self::NotAttempted(detail)
        } else {
            Self::Unknown(detail)
        }
    }
}

/// It comes of a connection that stood, so it is unknown: while a request was sent or its answer
/// read. An answer of failure is no error of hyper's: give its status to [`SendError::from_status`].
impl From<hyper::Error> for SendError {
    fn from(error: hyper::Error) -> Self {
        Self::Unknown(with_causes(&error))
    }
}
