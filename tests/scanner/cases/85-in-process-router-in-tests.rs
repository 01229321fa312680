// In-process router in tests. NOT-OUTBOUND
async fn t(app: axum::Router) {
    use tower::ServiceExt;
    let r = http::Request::post("/hook").body(axum::body::Body::empty()).unwrap();
    let _ = app.oneshot(r).await;
}
