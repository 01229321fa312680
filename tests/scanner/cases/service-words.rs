// What names and paths say, and where the same word says something else.
struct Shop { http: reqwest::Client, base: String }
impl Shop {
    async fn create_webhook(&self) { let _ = self.http.post(format!("{}/connect", self.base)).send().await; } //~ MUTATE
    async fn subscribe(&self) { let _ = self.http.post(format!("{}/webhooks", self.base)).send().await; } //~ MUTATE
    async fn post_it(&self, id: &str, token: &str) {
        let _ = self.http.post(format!("https://discord.com/api/webhooks/{id}/{token}")).send().await; //~ MESSAGE
    }
    async fn apply(&self) { let _ = self.http.post(format!("{}/swap-indexes", self.base)).send().await; } //~ MUTATE
    async fn swap_tokens(&self) { let _ = self.http.post(&self.base).send().await; } //~ CHARGE
    async fn transfer_ownership(&self) { let _ = self.http.post(&self.base).send().await; } //~ MUTATE
    async fn transfer(&self) { let _ = self.http.post(&self.base).send().await; } //~ CHARGE
    async fn send_notification(&self) { let _ = self.http.put(&self.base).send().await; } //~ MESSAGE
    async fn send_batch(&self) { let _ = self.http.post(&self.base).send().await; } //~ MESSAGE
    async fn send_request(&self) { let _ = self.http.put(&self.base).send().await; } //~ MUTATE
    async fn code_to_token(&self) { let _ = self.http.post(&self.base).send().await; } //~ AUTH
    async fn put_settings(&self) { let _ = self.http.put(&self.base).send().await; } //~ MUTATE
    async fn post_telemetry(&self) { let _ = self.http.post(&self.base).send().await; } //~ TELEMETRY
    async fn check_status(&self) { let _ = self.http.post(&self.base).send().await; } //~ READ
    async fn get_or_create_user(&self) { let _ = self.http.post(&self.base).send().await; } //~ MUTATE
    async fn check_email_and_send_result(&self) { let _ = self.http.post(&self.base).send().await; } //~ MESSAGE
    async fn ask(&self, method: &str, path: &str) {
        let method = reqwest::Method::from_str(method).unwrap_or_default();
        let _ = self.http.request(method, format!("https://x.example{path}")).send().await; //~ READ
    }
    async fn status(&self) { self.ask("GET", "/auth/v2/check").await; }
}
