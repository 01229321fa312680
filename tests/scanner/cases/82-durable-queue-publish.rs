// Durable queue publish. SEND (per-crate switch for own infrastructure)
async fn f(js: async_nats::jetstream::Context, core: async_nats::Client) {
    let _ = js.publish("orders.paid", "x".into()).await; //~ SEND
    let _ = core.publish("orders.paid", "x".into()).await; //~ SEND
}
