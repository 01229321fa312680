/// A counter, `onlyonce_client_steps_total`, and a histogram of seconds,
/// `onlyonce_client_step_seconds`, each with the labels `step` (`reserve`, `send`, `record`,
/// `confirm`, `accept_event`, `finish_event`), `name` (the type or source) and `outcome`. These names
/// stay.
async fn counted<T>(
    step: Step,
    subject: Subject<'_>,
    word: &impl Fn(&T) -> &'static str,
    future: impl Future<Output = T>,
) -> T {
    let started = Instant::now();
    let answer = future.await;
    let labels = [
        metrics::Label::from_static_parts("step", step.name()),
        metrics::Label::new("name", subject.name.to_owned()),
        metrics::Label::from_static_parts("outcome", word(&answer)),
    ];
    metrics::counter!("onlyonce_client_steps_total", labels.iter()).increment(1);
    metrics::histogram!("onlyonce_client_step_seconds", labels.iter()).record(started.elapsed());
    answer
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Reserve => "reserve",
            Self::Send => "send",
            Self::Record => "record",
            Self::Confirm => "confirm",
            Self::Accept => "accept_event",
            Self::Finish => "finish_event",
        }
    }
}
