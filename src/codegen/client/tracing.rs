use tracing::Instrument as _;

/// A span a step: `onlyonce.reserve`, `onlyonce.send`, `onlyonce.record`, `onlyonce.confirm`,
/// `onlyonce.accept_event` and `onlyonce.finish_event`, each with the type or source as `name`, with
/// `key`, and with `outcome` once it is over. What `send` does is within its span. These names stay.
async fn traced<T>(
    step: Step,
    subject: Subject<'_>,
    word: &impl Fn(&T) -> &'static str,
    future: impl Future<Output = T>,
) -> T {
    let span = step.span(subject);
    let answer = future.instrument(span.clone()).await;
    span.record("outcome", word(&answer));
    answer
}

impl Step {
    fn span(self, Subject { name, key }: Subject<'_>) -> tracing::Span {
        use tracing::field::Empty;
        use tracing::info_span;
        match self {
            Self::Reserve => info_span!("onlyonce.reserve", name, key, outcome = Empty),
            Self::Send => info_span!("onlyonce.send", name, key, outcome = Empty),
            Self::Record => info_span!("onlyonce.record", name, key, outcome = Empty),
            Self::Confirm => info_span!("onlyonce.confirm", name, key, outcome = Empty),
            Self::Accept => info_span!("onlyonce.accept_event", name, key, outcome = Empty),
            Self::Finish => info_span!("onlyonce.finish_event", name, key, outcome = Empty),
        }
    }
}
