// Time-out as failure.
struct Job;
impl Job { fn done(&mut self) {} fn failed(&mut self) {} }
async fn f(h: &reqwest::Client, job: &mut Job) {
    match tokio::time::timeout(std::time::Duration::from_secs(5), h.post("https://x").send()).await { //~ timeout-as-failure
        Ok(_) => job.done(), Err(_) => job.failed(),
    }
}
