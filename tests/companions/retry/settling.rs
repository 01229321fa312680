// What leaves the same behind when it is done twice may be done again; what makes something new may not.
use std::future::Future;
struct Web { http: reqwest::Client, base: String }

async fn perform_retryable<F, R, T, E>(name: &str, how: RetryMethod, act: F) -> Result<T, E>
where F: Fn() -> R, R: Future<Output = Result<T, E>> {
    let _ = (name, how);
    act().await
}
#[derive(Default)]
struct RetryMethod;
impl RetryMethod { fn no_retry() -> Self { RetryMethod } }

impl Web {
    async fn by_address(&self, id: &str) -> reqwest::Result<()> {
        for _ in 0..3 {
            let url = format!("{}/pods/{id}/cordon", self.base);
            if self.http.post(&url).send().await.is_ok() { return Ok(()) }
        }
        for _ in 0..3 {
            let url = format!("{}/deleteObject", self.base);
            if self.http.post(&url).send().await.is_ok() { return Ok(()) }
        }
        for _ in 0..3 {
            let url = format!("{}/records/{id}", self.base);
            if self.http.patch(&url).send().await.is_ok() { return Ok(()) }
        }
        // An update that is posted is a new one.
        for _ in 0..3 {
            let url = format!("{}/updates", self.base);
            if self.http.post(&url).send().await.is_ok() { return Ok(()) } //~ retried-send
        }
        Ok(())
    }
}

async fn by_name(hub: &octocrab::Octocrab) -> octocrab::Result<()> {
    perform_retryable("labels", RetryMethod::default(), || hub.issues("o", "r").add_labels(1, &[])).await?;
    perform_retryable("comment", RetryMethod::default(), || hub.issues("o", "r").create_comment(1, "x")).await?; //~ retried-send
    Ok(())
}

// Told to do it once.
async fn once(web: &Web) -> reqwest::Result<()> {
    perform_retryable("say", RetryMethod::no_retry(), || web.http.post(&web.base).send()).await?;
    perform_retryable("say", RetryMethod::default(), || web.http.post(&web.base).send()).await?; //~ retried-send
    Ok(())
}

// What is made bears its own name, which is taken the second time.
async fn named(iam: &aws_sdk_iam::Client, ec2: &aws_sdk_ec2::Client) {
    let _ = iam.create_role().role_name("r").send().await;
    let _ = iam.attach_role_policy().role_name("r").policy_arn("p").send().await;
    let _ = iam.create_access_key().user_name("u").send().await; //~ retried-send
    let _ = ec2.create_vpc().cidr_block("10.0.0.0/16").send().await; //~ retried-send
    let _ = ec2.create_security_group().group_name("g").send().await;
    let _ = ec2.create_key_pair().key_name("k").send().await;
    let _ = ec2.create_subnet().vpc_id("v").cidr_block("10.0.0.0/24").send().await;
    let _ = ec2.create_route().destination_cidr_block("0.0.0.0/0").send().await;
}
async fn declared(channel: &lapin::Channel, names: &[String]) -> lapin::Result<()> {
    'again: loop {
        for name in names {
            if channel.queue_declare(name, Default::default(), Default::default()).await.is_err() { continue 'again }
        }
        return Ok(());
    }
}
// A machine that is stopped twice is stopped, and a key that is there is not made again.
async fn stopped(ec2: &aws_sdk_ec2::Client, store: &async_nats::jetstream::kv::Store) {
    for _ in 0..3 {
        if ec2.terminate_instances().instance_ids("i").send().await.is_ok() { break }
    }
    while store.create("lock", "me".into()).await.is_err() {}
    let _ = ec2.stop_instances().instance_ids("i").send().await;
}
// Nothing is done in a rehearsal, a part has its number, and what is complete is complete.
async fn rehearsed(lambda: &aws_sdk_lambda::Client, ec2: &aws_sdk_ec2::Client, s3: &aws_sdk_s3::Client) {
    let request = lambda.invoke().function_name("f").invocation_type(InvocationType::DryRun);
    let _ = request.send().await;
    let _ = ec2.create_vpc().dry_run(true).send().await;
    let _ = ec2.create_vpc().dry_run(false).send().await; //~ retried-send
    let _ = lambda.invoke().function_name("f").invocation_type(InvocationType::Event).send().await; //~ retried-send
    for _ in 0..3 {
        if s3.create_multipart_upload().key("k").send().await.is_ok() { break } //~ retried-send
    }
    for _ in 0..3 {
        if s3.upload_part().part_number(1).upload_id("u").send().await.is_ok() { break }
    }
    for _ in 0..3 {
        if s3.complete_multipart_upload().upload_id("u").send().await.is_ok() { break }
    }
}
// A request of which nobody knows what it is, and a document that changes something.
async fn open(client: &reqwest::Client, make: impl Fn() -> reqwest::Request, hub: &octocrab::Octocrab) {
    for _ in 0..3 {
        if client.execute(make()).await.is_ok() { break } //~ retried-send
    }
    let body = serde_json::json!({ "query": "mutation { addStar { id } }" });
    while hub.graphql::<()>(&body).await.is_err() {} //~ retried-send
}
// Of a verb that nobody knows it cannot be said that it makes something new.
async fn upgraded(scheduler: &mut tonic_like::scheduler_client::SchedulerClient<Channel>) {
    while scheduler.maybe_upgrade(1).await.is_err() {}
    while scheduler.schedule(1).await.is_err() {} //~ retried-send
    while scheduler.listen_changes(1).await.is_err() {}
}
// To connect says nothing yet.
async fn connects(mut connector: hyper_util::client::legacy::connect::HttpConnector, to: http::Uri) {
    while connector.call(to.clone()).await.is_err() {}
}
// What makes only what is not there makes it once.
async fn upsert_topics(web: &Web, wanted: &[String], there: &[String], tries: u8) {
    for topic in wanted {
        if !there.contains(topic) {
            let sent = web.http.post(&web.base).body(topic.clone()).send().await;
            if sent.is_err() && tries > 0 { return Box::pin(upsert_topics(web, wanted, there, tries - 1)).await }
        }
    }
}
async fn make_topics(web: &Web, wanted: &[String], tries: u8) {
    for topic in wanted {
        let sent = web.http.post(&web.base).body(topic.clone()).send().await; //~ retried-send
        if sent.is_err() && tries > 0 { return Box::pin(make_topics(web, wanted, tries - 1)).await }
    }
}
async fn created(pods: kube::Api<Pod>, pod: Pod) {
    let _ = pods.create(&Default::default(), &pod).await;
}
// Under a token of the client the service tells; what was thrown out of a cache twice is out of it.
async fn tokens(ec2: &aws_sdk_ec2::Client, cdn: &aws_sdk_cloudfront::Client, id: &str) {
    for _ in 0..3 {
        if ec2.run_instances().image_id("i").client_token(id).send().await.is_ok() { break }
    }
    for _ in 0..3 {
        if ec2.run_instances().image_id("i").set_client_token(Some(id.to_owned())).send().await.is_ok() { break }
    }
    let _ = cdn.create_invalidation().distribution_id("d").send().await;
}
async fn put(web: &Web, id: &str) -> reqwest::Result<()> {
    for _ in 0..3 {
        let url = format!("{}/invoices/{id}/paid", web.base);
        if web.http.put(&url).send().await.is_ok() { return Ok(()) }
    }
    Ok(())
}

// Repeated where it reads, and not where it writes.
#[derive(Clone, Copy, PartialEq)]
enum Kind { Read, Write }
async fn call<F, R, T>(kind: Kind, mut act: F) -> reqwest::Result<T>
where F: FnMut() -> R, R: Future<Output = reqwest::Result<T>> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let error = match act().await { Ok(value) => return Ok(value), Err(error) => error };
        if kind == Kind::Read && attempt < 3 { continue }
        return Err(error);
    }
}
async fn carefully(web: &Web) -> reqwest::Result<()> {
    call(Kind::Write, || web.http.post(&web.base).send()).await.map(drop)
}
async fn carelessly<F, R, T>(mut act: F) -> reqwest::Result<T>
where F: FnMut() -> R, R: Future<Output = reqwest::Result<T>> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let error = match act().await { Ok(value) => return Ok(value), Err(error) => error };
        if attempt < 3 { continue }
        return Err(error);
    }
}
async fn blindly(web: &Web) -> reqwest::Result<()> {
    carelessly(|| web.http.post(&web.base).send()).await.map(drop) //~ retried-send
}
// What is typed into a page is not sent before the page is.
async fn types(input: &fantoccini::elements::Element) {
    for _ in 0..3 {
        if input.send_keys("a").await.is_ok() { break }
    }
    for _ in 0..3 {
        if input.clone().click().await.is_ok() { break } //~ retried-send
    }
}
// What is left out already is left out; what is put into a list is there twice.
async fn leaves_out(web: &Web, id: &str) -> reqwest::Result<()> {
    for _ in 0..3 {
        let url = format!("{}/nodes/{id}/exclude-from-balancer", web.base);
        if web.http.post(&url).send().await.is_ok() { return Ok(()) }
    }
    for _ in 0..3 {
        let url = format!("{}/exclusions", web.base);
        if web.http.post(&url).send().await.is_ok() { return Ok(()) } //~ retried-send
    }
    Ok(())
}
// The SDK makes one token for its own attempts; whoever calls once more gets another one.
async fn token_of_the_sdk(ec2: &aws_sdk_ec2::Client, tasks: &aws_sdk_ecs::Client, machines: &aws_sdk_sfn::Client) {
    let _ = ec2.run_instances().image_id("i").send().await;
    let _ = tasks.run_task().task_definition("t").send().await;
    let _ = machines.start_execution().state_machine_arn("s").send().await; //~ retried-send
    for _ in 0..3 {
        if ec2.run_instances().image_id("i").send().await.is_ok() { break } //~ retried-send
    }
}
// What somebody says of itself is the same when it is said twice.
impl Web {
    async fn beats(&self, id: &str) {
        for _ in 0..3 {
            if self.http.post(format!("{}/agents/{id}/heartbeat", self.base)).send().await.is_ok() { break }
        }
        for _ in 0..3 {
            if self.http.post(format!("{}/agents/{id}/reports", self.base)).send().await.is_ok() { break } //~ retried-send
        }
    }
    async fn ping(&self, id: &str) {
        for _ in 0..3 {
            if self.http.post(format!("{}/sessions/{id}", self.base)).send().await.is_ok() { break }
        }
    }
    async fn prolong(&self, id: &str) {
        for _ in 0..3 {
            if self.http.post(format!("{}/sessions/{id}", self.base)).send().await.is_ok() { break } //~ retried-send
        }
    }
}
// A forge takes one branch of a name, and one pull request of a branch.
impl Web {
    async fn forge(&self, repo: &str) {
        for _ in 0..3 {
            if self.http.post(format!("https://api.github.com/repos/{repo}/git/refs")).send().await.is_ok() { break }
        }
        for _ in 0..3 {
            if self.http.post(format!("https://api.github.com/repos/{repo}/pulls")).send().await.is_ok() { break }
        }
        for _ in 0..3 {
            if self.http.post(format!("https://api.github.com/repos/{repo}/issues")).send().await.is_ok() { break } //~ retried-send
        }
    }
}
// A key that the function is given, by which the other side tells; a stream that is opened anew; what is set by name.
impl Web {
    async fn page(&self, text: &str, dedup_key: &str) {
        for _ in 0..3 {
            if self.http.post(format!("{}/incidents", self.base)).json(&(text, dedup_key)).send().await.is_ok() { break }
        }
    }
    async fn page_again(&self, text: &str, key: &str) {
        for _ in 0..3 {
            if self.http.post(format!("{}/incidents", self.base)).json(&(text, key)).send().await.is_ok() { break } //~ retried-send
        }
    }
    async fn tells(&self) {
        for _ in 0..3 {
            if self.http.post(format!("{}/nodes/uploadBasicInfo", self.base)).send().await.is_ok() { break }
        }
    }
}
async fn made(client: &wicketd_like::Client) {
    while client.dataset().create(1).await.is_err() {}
    while client.create_table(1).await.is_err() {}
    while client.create_invoice(1).await.is_err() {} //~ retried-send
}
async fn generated(client: &wicketd_like::Client) {
    while client.post_reload_config().await.is_err() {}
    while client.post_start_job().await.is_err() {} //~ retried-send
}
// What is posted to ask, or passed on by the name of a procedure that only the run knows.
impl Web {
    async fn get_head(&self) -> reqwest::Result<()> {
        for _ in 0..3 {
            if self.http.post(format!("{}/wallet/head", self.base)).send().await.is_ok() { return Ok(()) }
        }
        Ok(())
    }
    async fn try_connect(&self, url: &str) {
        for _ in 0..3 {
            if self.http.post(url).send().await.is_ok() { break }
        }
    }
    async fn raw(&self, method: &str, params: &Request) {
        for _ in 0..3 {
            if self.http.post(&self.base).json(&(method, params)).send().await.is_ok() { break }
        }
    }
    async fn raw_body(&self, name: &str, body: &Request) {
        for _ in 0..3 {
            if self.http.post(&self.base).json(&(name, body)).send().await.is_ok() { break } //~ retried-send
        }
    }
}

// What is called says more than the function around it: a record that is made is there twice, a state that is posted is not.
impl Web {
    async fn create_records(&self, table: &str) -> reqwest::Result<reqwest::Response> {
        self.http.post(format!("https://api.airtable.com/v0/{table}")).send().await
    }
    async fn post_to(&self, table: &str) -> reqwest::Result<reqwest::Response> {
        self.http.post(format!("https://api.airtable.com/v0/{table}")).send().await
    }
}
async fn sync_calendar(web: &Web) {
    for _ in 0..3 {
        if web.create_records("huddles").await.is_ok() { break } //~ retried-send
    }
    for _ in 0..3 {
        if web.post_to("huddles").await.is_ok() { break }
    }
}
