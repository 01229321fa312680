//! What a request at the provider is about: which action, which act, under which key.

use serde_json::Value;

use crate::chaos::plan::{ActionPlan, Part, Route};
use crate::chaos::wire::Head;

/// A request with its body as a value, so that parts can be taken out of it.
pub(super) struct Request<'a> {
    head: &'a Head,
    body: Value,
}

/// Whether a request of this head is the action.
pub(super) fn is(action: &ActionPlan, head: &Head) -> bool {
    let Route::Http(method, path) = &action.route else { return false };
    let segments: Vec<&str> = head.path().split('/').skip(1).collect();
    let alike = |(wanted, segment): (&String, &&str)| wanted == "*" || wanted == *segment;
    *method == head.method && path.len() == segments.len() && path.iter().zip(&segments).all(alike)
}

impl<'a> Request<'a> {
    /// JSON, or a form, or text.
    pub(super) fn read(head: &'a Head, body: &[u8]) -> Request<'a> {
        let text = || String::from_utf8_lossy(body).into_owned();
        let is_form =
            head.header("content-type").is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
        let body = if is_form {
            form(&text())
        } else {
            serde_json::from_slice(body).unwrap_or_else(|_| Value::String(text()))
        };
        Request { head, body }
    }

    /// What is text alone: a mail.
    pub(super) fn text(head: &'a Head, body: &str) -> Request<'a> {
        Request { head, body: Value::String(body.to_owned()) }
    }

    /// Which act it is: the values of the parts, joined by a blank; a part that is not there is `-`.
    pub(super) fn act(&self, action: &ActionPlan) -> String {
        self.joined(&action.act)
    }

    /// What has to be the same whenever it is the same act.
    pub(super) fn payload(&self, action: &ActionPlan) -> String {
        if action.payload.is_empty() { self.body.to_string() } else { self.joined(&action.payload) }
    }

    fn joined(&self, parts: &[Part]) -> String {
        let values = parts.iter().map(|part| self.part(part).unwrap_or_else(|| "-".to_owned()));
        values.collect::<Vec<_>>().join(" ")
    }

    /// The value of a part.
    pub(super) fn part(&self, part: &Part) -> Option<String> {
        match part {
            Part::Header(name) => self.head.header(name).map(str::to_owned),
            Part::Body(pointer) => match self.body.pointer(pointer)? {
                Value::String(text) => Some(text.clone()),
                Value::Null => None,
                other => Some(other.to_string()),
            },
            Part::Path(number) => self.head.path().split('/').nth(*number).map(str::to_owned),
        }
    }
}

/// The fields of a form; of one that is given twice the last.
fn form(text: &str) -> Value {
    let plain = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
    };
    let field = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (plain(name), Value::String(plain(value)))
    };
    Value::Object(text.split('&').filter(|pair| !pair.is_empty()).map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(target: &str, headers: &[(&str, &str)]) -> Head {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Head { method: "POST".to_owned(), target: target.to_owned(), status: 0, headers }
    }

    #[test]
    fn parts_come_from_headers_path_and_body() {
        let head = head("/v1/42/messages?x=1", &[("idempotency-key", "k")]);
        let request = Request::read(&head, br#"{"to":["a","b"],"n":7,"none":null}"#);
        let part = |part: Part| request.part(&part);
        assert_eq!(part(Part::Header("idempotency-key".to_owned())).as_deref(), Some("k"));
        assert_eq!(part(Part::Path(2)).as_deref(), Some("42"));
        assert_eq!(part(Part::Path(3)).as_deref(), Some("messages"));
        assert_eq!(part(Part::Body("/to/1".to_owned())).as_deref(), Some("b"));
        assert_eq!(part(Part::Body("/n".to_owned())).as_deref(), Some("7"));
        assert_eq!(part(Part::Body("/none".to_owned())), None);
    }

    #[test]
    fn a_form_is_read_too() {
        let head = head("/", &[("content-type", "application/x-www-form-urlencoded")]);
        let request = Request::read(&head, b"to=%2B49+1&amount=5");
        assert_eq!(request.part(&Part::Body("/to".to_owned())).as_deref(), Some("+49 1"));
    }
}
