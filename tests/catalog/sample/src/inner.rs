pub struct Client;

impl Client {
    pub async fn send_mail(&self, to: &str, text: &str) {}
    pub fn message(&self, text: &str) -> Message {}
    pub fn count(&self) -> usize {}
    async fn hidden(&self) {}
    #[cfg(test)]
    pub async fn only_tests(&self) {}
    methods! { by_macro }
}

pub struct Message;

impl IntoFuture for Message {}
