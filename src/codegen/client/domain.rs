impl Parts {
    fn domain(&mut self, value: &str) {
        self.push(&domain(value));
    }
}

/// IDNA to ASCII in lower case, without the dot of the root; what IDNA refuses is only lower-cased.
fn domain(text: &str) -> String {
    let ascii = idna::domain_to_ascii(text).unwrap_or_else(|_| text.to_owned());
    let lower = ascii.to_lowercase();
    lower.strip_suffix('.').unwrap_or(&lower).to_owned()
}
