//! Texts with names in braces that the run fills in: `{port}`, `{database_url}`, `{n}`.

use std::borrow::Cow;

/// A text of the plan, in which the names that the run knows are filled in. Other braces stay: JSON has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template(String);

/// What a name stands for.
pub type Values<'a> = [(&'a str, Cow<'a, str>)];

impl Template {
    /// A text.
    pub fn new(text: impl Into<String>) -> Template {
        Template(text.into())
    }

    /// The text as written.
    #[must_use]
    pub fn written(&self) -> &str {
        &self.0
    }

    /// The text with each `{name}` replaced by its value. What is filled in is not looked at again.
    #[must_use]
    pub fn fill(&self, values: &Values<'_>) -> String {
        let mut out = String::with_capacity(self.0.len());
        let mut rest = self.0.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            let known = behind.split_once('}').and_then(|(name, after)| {
                values.iter().find(|(known, _)| *known == name).map(|(_, value)| (value, after))
            });
            match known {
                Some((value, after)) => {
                    out.push_str(value);
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = behind;
                }
            }
        }
        out + rest
    }

    /// The first name in braces that is none of these: for texts that are not JSON.
    #[must_use]
    pub fn unknown(&self, known: &[&str]) -> Option<&str> {
        let names = self.0.split('{').skip(1).filter_map(|behind| behind.split_once('}').map(|(name, _)| name));
        let is_name =
            |name: &&str| !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_lowercase() || octet == b'_');
        names.filter(is_name).find(|name| !known.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_other_braces_stay() {
        let values = [("n", Cow::Borrowed("7")), ("port", Cow::Borrowed("{n}"))];
        let fill = |text: &str| Template::new(text).fill(&values);
        assert_eq!(fill(r#"{"id":"wamid.{n}","more":{}}"#), r#"{"id":"wamid.7","more":{}}"#);
        assert_eq!(fill("{port}{n}"), "{n}7");
        assert_eq!(fill("{{n}} {"), "{7} {");
    }

    #[test]
    fn an_unknown_name_is_told() {
        assert_eq!(Template::new("http://{host}:{port}").unknown(&["port"]), Some("host"));
        assert_eq!(Template::new("{port} {A} {}").unknown(&["port"]), None);
    }
}
