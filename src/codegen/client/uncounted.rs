/// Nobody watches by metrics: `metrics` under `[generate]` is not set.
async fn counted<T>(
    _: Step,
    _: Subject<'_>,
    _: &impl Fn(&T) -> &'static str,
    future: impl Future<Output = T>,
) -> T {
    future.await
}
