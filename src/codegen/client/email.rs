impl Parts {
    /// Hashed, since keys outlive payloads and travel to providers.
    fn email(&mut self, value: &str) {
        self.normalised.push(match value.rsplit_once('@') {
            Some((local, host)) => digest(&format!("{local}@{}", domain(host))),
            None => digest(value),
        });
    }
}
