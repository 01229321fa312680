// Function value: path used as an argument or stored. The site is where the value is created; if the builders are known POSTs, SEND, else UNKNOWN
fn f(bs: Vec<reqwest::RequestBuilder>) -> Vec<impl std::future::Future> {
    bs.into_iter().map(reqwest::RequestBuilder::send).collect() //~ UNKNOWN
}
