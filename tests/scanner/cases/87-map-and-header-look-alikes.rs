// Map and header look-alikes: `.get(..)`, `.put(..)`, `.delete(..)` on maps, caches, routers. NOT-OUTBOUND
fn r() -> axum::Router {
    axum::Router::new().route("/x", axum::routing::post(h).delete(h))
}
fn g(m: &mut std::collections::HashMap<String, u8>) -> Option<&u8> { m.get("post") }
