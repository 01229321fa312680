// Two variables of one name in one function: what is done to one is not done to the other.
async fn both(http: &reqwest::Client, url: &str, token: &str) {
    let post = async {
        let mut request = http.post(url);
        request = request.bearer_auth(token);
        let _ = request.send().await; //~ mutate
    };
    let get = async {
        let mut request = http.get(url);
        request = request.bearer_auth(token);
        let _ = request.send().await;
    };
    futures::join!(post, get);
}
fn programs() {
    let push = || {
        let mut git = std::process::Command::new("git");
        git.arg("push");
        let _ = git.status(); //~ mutate
    };
    let look = || {
        let mut git = std::process::Command::new("git");
        git.arg("status");
        let _ = git.status();
    };
    push();
    look();
}
async fn requests(http: &reqwest::Client, u: reqwest::Url) {
    {
        let mut r = reqwest::Request::new(reqwest::Method::GET, u.clone());
        *r.method_mut() = reqwest::Method::POST;
        let _ = http.execute(r).await; //~ mutate
    }
    {
        let mut r = reqwest::Request::new(reqwest::Method::GET, u);
        *r.timeout_mut() = None;
        let _ = http.execute(r).await;
    }
}
