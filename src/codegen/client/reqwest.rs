/// Only what certainly never left us counts as not attempted: a request that could not be built,
/// and a connection that never stood. A status counts as [`SendError::from_status`] says; all else
/// is unknown.
///
/// This holds for a client that follows no redirects (`redirect::Policy::none()`): a provider may
/// act and then answer with a redirect to a host that cannot be reached.
impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        let status = error.status();
        let not_attempted = error.is_builder() || error.is_connect();
        let detail = with_causes(&error.without_url());
        match status {
            Some(status) => Self::from_status(status.as_u16(), detail),
            None if not_attempted => Self::NotAttempted(detail),
            None => Self::Unknown(detail),
        }
    }
}
