// `async_stream`. SEND
fn f(h: reqwest::Client) -> impl futures::Stream<Item = u16> {
    async_stream::stream! {
        let r = h.post("https://a").send().await.unwrap(); //~ SEND
        yield r.status().as_u16();
    }
}
