// Telemetry. READ class "telemetry" (exempt)
fn f() {
    sentry::capture_message("agent started", sentry::Level::Info); //~ TELEMETRY
}
