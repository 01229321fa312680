/// Stripe's status counts as [`SendError::from_status`] says, but that an answer about the
/// idempotency key itself tells of another request: unknown. A client that was set up wrongly sends
/// nothing; all else is unknown, a connection that failed too, since the crate does not tell which.
///
/// This holds for a request that is sent once (`RequestStrategy::Once` or `Idempotent`).
impl From<stripe::StripeError> for SendError {
    fn from(error: stripe::StripeError) -> Self {
        let detail = with_causes(&error);
        match &error {
            stripe::StripeError::Stripe(told, _)
                if told.type_ == stripe::ApiErrorsType::IdempotencyError =>
            {
                Self::Unknown(detail)
            }
            stripe::StripeError::Stripe(_, status) => Self::from_status(*status, detail),
            stripe::StripeError::ConfigError(_) => Self::NotAttempted(detail),
            stripe::StripeError::JSONDeserialize(_)
            | stripe::StripeError::ClientError(_)
            | stripe::StripeError::Timeout => Self::Unknown(detail),
        }
    }
}
