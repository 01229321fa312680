/// By the SMTP standard (RFC 5321, 4.2.1) a reply of 5xx refuses for good, and after one of 4xx the
/// message was not taken. Refused credentials (530, 534, 535, 538), a connection that never stood
/// and what the server cannot do count as not attempted; all else is unknown.
impl From<lettre::transport::smtp::Error> for SendError {
    fn from(error: lettre::transport::smtp::Error) -> Self {
        let detail = with_causes(&error);
        if let Some(code) = error.status() {
            return match u16::from(code) {
                530 | 534 | 535 | 538 | 400..=499 => Self::NotAttempted(detail),
                500..=599 => Self::Rejected(detail),
                _ => Self::Unknown(detail),
            };
        }
        // That it never connected is told in words alone; in other words it is unknown.
        let never_connected = detail.starts_with("Connection error");
        if never_connected || error.is_client() || error.is_transport_shutdown() {
            Self::NotAttempted(detail)
        } else {
            Self::Unknown(detail)
        }
    }
}

/// A message that cannot be built is not attempted.
impl From<lettre::error::Error> for SendError {
    fn from(error: lettre::error::Error) -> Self {
        Self::NotAttempted(with_causes(&error))
    }
}

/// An address that is none is not attempted.
impl From<lettre::address::AddressError> for SendError {
    fn from(error: lettre::address::AddressError) -> Self {
        Self::NotAttempted(with_causes(&error))
    }
}
