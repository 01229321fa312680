impl Parts {
    /// Hashed, since keys outlive payloads and travel to providers.
    fn email(&mut self, value: &str) {
        let hashed = match value.rsplit_once('@') {
            Some((local, host)) => digest(&format!("{local}@{}", domain(host))),
            None => digest(value),
        };
        self.push(&hashed);
    }
}
