// Error predicate that groups time-outs with safe errors. Connect-only is fine.
fn retryable(e: &reqwest::Error) -> bool {
    e.is_timeout() || e.is_connect() //~ timeout-as-failure
}
fn pre_send_only(e: &reqwest::Error) -> bool { e.is_connect() && !e.is_timeout() }
