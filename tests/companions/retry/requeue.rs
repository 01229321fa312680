// Work that is put back into the channel or queue that it was taken out of is done once more.
use std::collections::VecDeque;
use tokio::sync::mpsc;
struct Job { url: String, attempts: u32 }

async fn back_into_the_channel(http: &reqwest::Client, tx: mpsc::Sender<Job>, mut rx: mpsc::Receiver<Job>) {
    while let Some(job) = rx.recv().await {
        if http.post("https://hooks.slack.com/services/x").body(job.url.clone()).send().await.is_err() { //~ retried-send
            let _ = tx.send(Job { attempts: job.attempts + 1, ..job }).await;
        }
    }
}
async fn back_into_the_queue(http: &reqwest::Client, mut queue: VecDeque<Job>) {
    while let Some(job) = queue.pop_front() {
        match http.post("https://hooks.slack.com/services/x").body(job.url.clone()).send().await { //~ retried-send
            Ok(_) => {}
            Err(_) => queue.push_back(job),
        }
    }
}
async fn one(http: &reqwest::Client, job: Job, tx: &mpsc::Sender<Job>) {
    if http.post("https://hooks.slack.com/services/x").send().await.is_err() { //~ retried-send
        let _ = tx.send(job).await;
    }
}
// Nobody does again what is kept as failed, an answer is no work, and other work is other work.
async fn kept(http: &reqwest::Client, dead: mpsc::Sender<Job>, mut rx: mpsc::Receiver<Job>) {
    while let Some(job) = rx.recv().await {
        if http.post("https://hooks.slack.com/services/x").send().await.is_err() { let _ = dead.send(job).await; }
    }
}
async fn told(http: &reqwest::Client, results: mpsc::Sender<u32>, mut rx: mpsc::Receiver<Job>) {
    while let Some(job) = rx.recv().await {
        if http.post("https://hooks.slack.com/services/x").send().await.is_err() { let _ = results.send(job.attempts).await; }
    }
}
async fn collected(http: &reqwest::Client, mut queue: VecDeque<Job>, mut left: VecDeque<Job>) {
    while let Some(job) = queue.pop_front() {
        if http.post("https://hooks.slack.com/services/x").send().await.is_err() { left.push_back(job); }
    }
}
// It goes on in any case.
async fn handed_on(http: &reqwest::Client, tx: mpsc::Sender<Job>, mut rx: mpsc::Receiver<Job>) {
    while let Some(job) = rx.recv().await {
        let _ = http.post("https://hooks.slack.com/services/x").send().await;
        let _ = tx.send(job).await;
    }
}
