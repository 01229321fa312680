//! "Did you mean": the known name that lies nearest to what was written.

/// The nearest of `known` when it is near enough to be meant: one slip for each three letters, one at least.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let slips = (written.chars().count() / 3).max(1);
    // Longer texts are no slip of a name; comparing them would only cost time.
    if written.len() > 64 {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let wanted = plain(written);
    known
        .into_iter()
        .map(|name| (plain(name), name))
        // `int` is meant for `integer`, however many letters are missing.
        .map(|(known, name)| match wanted.len() > 2 && known.starts_with(&wanted) {
            true => (1, name),
            false => (strsim::damerau_levenshtein(&wanted, &known), name),
        })
        .filter(|(distance, _)| *distance <= slips)
        .min()
        .map(|(_, name)| name)
}

/// Help that starts with the nearest name, or else lists what is known.
pub(super) fn meant<'a>(written: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(written, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let names: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
            format!("known: {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_and_another_word_is_not() {
        let known = ["send_budget", "summary", "when_unknown"];
        assert_eq!(nearest("send_bugdet", known), Some("send_budget"));
        assert_eq!(nearest("Send-Budget", known), Some("send_budget"));
        assert_eq!(nearest("sumary", known), Some("summary"));
        assert_eq!(nearest("when", known), Some("when_unknown"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }
}
