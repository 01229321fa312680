// A client that repeats, and what goes through it: where somebody of the workspace takes it, what they send tells.
fn taken() -> impl Service {
    tower::ServiceBuilder::new().layer(tower::retry::RetryLayer::new(Policy)).service(http())
}
async fn look() { let _ = taken().oneshot(get("https://x")).await; }

pub fn offered() -> impl Service {
    tower::ServiceBuilder::new().layer(tower::retry::RetryLayer::new(Policy)).service(http()) //~ retried-send
}

// What it is made for, by its name, changes nothing.
pub struct FileDownloadService;
impl FileDownloadService {
    pub fn offered() -> impl Service {
        tower::ServiceBuilder::new().layer(tower::retry::RetryLayer::new(Policy)).service(http())
    }
}
pub struct DownloadAndPublishService;
impl DownloadAndPublishService {
    pub fn offered() -> impl Service {
        tower::ServiceBuilder::new().layer(tower::retry::RetryLayer::new(Policy)).service(http()) //~ retried-send
    }
}
