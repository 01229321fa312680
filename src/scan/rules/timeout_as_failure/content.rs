//! Whether two sends say the same, as far as their text shows it.

use std::collections::BTreeSet;

use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::rules::Context;
use crate::scan::sinks::uses::chain;
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::value::Scope;
use crate::source::Span;

/// Methods that begin a request: what they are given is where it goes.
const BEGINS: [&str; 8] = ["delete", "get", "head", "patch", "post", "put", "request", "to"];
/// Names of what carries, and of whom it goes to.
const AROUND: [&str; 23] = [
    "api",
    "app",
    "auth",
    "await",
    "bot",
    "cache",
    "channel",
    "chat",
    "client",
    "config",
    "context",
    "conversation",
    "ctx",
    "headers",
    "http",
    "recipient",
    "room",
    "self",
    "state",
    "token",
    "url",
    "user",
    "webhook",
];

/// Whether the second send carries something that the first one carried. What is not written out in either, because a
/// caller gave it, counts as shared.
pub(super) fn is_shared(context: &Context<'_, '_, '_>, function: FnId, first: ExprId, second: ExprId) -> bool {
    let Some(body) = context.flow.body(function) else { return false };
    let entry = context.guards.types.index.function(function);
    let text = context.guards.types.index.files[entry.file].source.text();
    let (mut one, mut two) = (Said::of(body, text, first), Said::of(body, text, second));
    for (said, call) in [(&mut one, first), (&mut two, second)] {
        // What a variable was made of is said too: `let html = rendered(&message)`.
        for name in said.names.clone() {
            if let Some(Binding::Let(_, _, Some(made))) =
                binding_of(&context.flow.eval, Scope::Fn(function), body, call, &name)
            {
                said.read(text, body.node(made).span);
            }
        }
    }
    if one.is_empty() && two.is_empty() {
        return true;
    }
    one.names.intersection(&two.names).next().is_some() || one.says_what(&two)
}

/// What is given to a call.
struct Said {
    names: BTreeSet<String>,
    texts: Vec<String>,
}

impl Said {
    fn of(body: &Body, text: &str, call: ExprId) -> Said {
        let mut said = Said { names: BTreeSet::new(), texts: Vec::new() };
        let links = chain(body, call).into_iter().filter(|(_, name, _)| !BEGINS.contains(name));
        let mut args: Vec<ExprId> = links.flat_map(|(_, _, args)| args.iter().copied()).collect();
        if let Expr::Call { args: given, .. } = body.expr(body.base(call)) {
            args.extend(given);
        }
        args.into_iter().for_each(|arg| said.read(text, body.node(arg).span));
        said
    }

    /// Variables, and texts in quotes.
    fn read(&mut self, text: &str, span: Span) {
        let Some(given) = text.get(span.start..span.end) else { return };
        let mut rest = given;
        while let Some((before, after)) = rest.split_once('"') {
            self.names_of(before);
            let (inside, next) = after.split_once('"').unwrap_or((after, ""));
            let plain: String = strip_tags(inside).to_lowercase();
            let is_key = next.trim_start().starts_with(':');
            self.texts.extend((plain.len() > 1 && !is_key).then_some(plain));
            rest = next;
        }
        self.names_of(rest);
    }

    fn names_of(&mut self, code: &str) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut rest = code;
        let mut before = ' ';
        while let Some(start) = rest.find(is_part) {
            before = rest[..start].chars().next_back().unwrap_or(before);
            let word = &rest[start..];
            let end = word.find(|letter| !is_part(letter)).unwrap_or(word.len());
            let after = word[end..].chars().next().unwrap_or(' ');
            let name = &word[..end];
            let variable =
                name.starts_with(|first: char| first.is_lowercase()) && before != '.' && !"(!:".contains(after);
            let last = last_of_fields(word);
            let around = last.ends_with("id") || AROUND.iter().any(|one| name.contains(one) || last == *one);
            self.names.extend((variable && !around).then(|| name.to_owned()));
            rest = &word[end..];
            before = ' ';
        }
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.texts.is_empty()
    }

    /// One text is the other one, or a part of it.
    fn says_what(&self, other: &Said) -> bool {
        let same =
            |one: &String| other.texts.iter().any(|two| one.contains(two.as_str()) || two.contains(one.as_str()));
        self.texts.iter().any(same)
    }
}

/// The last field of `message.chat.id`.
fn last_of_fields(text: &str) -> &str {
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '.')).unwrap_or(text.len());
    let is_call = text[end..].starts_with('(');
    let mut fields = text[..end].rsplit('.');
    let last = fields.next().unwrap_or_default();
    if is_call { fields.next().unwrap_or(last) } else { last }
}

fn strip_tags(text: &str) -> String {
    let mut inside = false;
    text.chars()
        .filter(|letter| {
            inside = (inside || *letter == '<') && *letter != '>';
            !inside && *letter != '>'
        })
        .collect()
}
