//! Walks a parsed file table by table. Whoever reads a table asks for its fields by name and type; what nobody
//! asked for is unknown. Nothing stops at the first fault.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Fault, Label};
use crate::duration;
use crate::manifest::near::meant;
use crate::source::{Source, Span};

/// What a draft of `init` writes where only a person knows the answer. A text that starts with it is refused.
pub const BLANK: &str = "FILL IN";

/// What was found while walking one file.
pub(super) struct Walk {
    pub(super) source: Source,
    /// Where the syntax is broken: values there are not judged.
    broken: Vec<Span>,
    faults: RefCell<Vec<Fault>>,
    places: RefCell<BTreeMap<String, Span>>,
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// One table of the file.
pub(super) struct Section<'a> {
    pub(super) walk: &'a Walk,
    /// `action.send_reply`, `scan.allow.0`; empty for the whole file.
    path: String,
    /// As people write it: `[action.send_reply]`, `[[scan.allow]]`.
    title: String,
    /// Its header.
    pub(super) span: Span,
    table: &'a DeTable<'a>,
    asked: RefCell<Vec<&'static str>>,
}

impl Walk {
    pub(super) fn new(source: &Source, syntax: Vec<Fault>) -> Walk {
        let broken = syntax.iter().filter_map(|fault| fault.place.as_ref()).map(|place| place.span).collect();
        Walk { source: source.clone(), broken, faults: RefCell::new(syntax), places: RefCell::default() }
    }

    /// Reports a problem at `span`.
    pub(super) fn fault(&self, span: Span, message: String, label: impl Into<String>, help: impl Into<String>) {
        let fault = Fault::new(message).at(Label::new(&self.source, span, label)).with_help(help);
        self.faults.borrow_mut().push(fault);
    }

    /// Everything that was found, in the order of the file, and where each value stands.
    pub(super) fn finish(self) -> (Vec<Fault>, BTreeMap<String, Span>) {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|fault| fault.place.as_ref().map(|place| place.span));
        faults.dedup();
        (faults, self.places.into_inner())
    }

    /// Whether a header between the two is broken.
    fn broken_between(&self, header: Span, key: Span) -> bool {
        self.broken.iter().filter(|error| header.end <= error.start && error.start <= key.start).any(|error| {
            let line = self.source.line(self.source.position(error.start).line);
            self.source.slice(line).trim_start().starts_with('[')
        })
    }

    /// Whether the parser stumbled in this span or on the line where it starts.
    fn is_broken(&self, span: Span) -> bool {
        let line = self.source.line(self.source.position(span.start).line);
        let around = Span::new(line.start, span.end.max(line.end));
        self.broken.iter().any(|error| error.start <= around.end && around.start <= error.end)
    }
}

impl<'a> Section<'a> {
    pub(super) fn root(walk: &'a Walk, table: &'a DeTable<'a>) -> Section<'a> {
        let (path, title) = (String::new(), "the manifest".to_owned());
        Section { walk, path, title, span: Span::default(), table, asked: RefCell::default() }
    }

    /// The dotted path of a field.
    fn place(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn fault(&self, span: Span, message: String, label: impl Into<String>, help: impl Into<String>) {
        self.walk.fault(span, message, label, help);
    }

    /// The field's value, when there is one that the parser could read.
    fn value(&self, field: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.asked.borrow_mut().push(field);
        let (key, value) = self.table.get_key_value(field)?;
        let span = match value.get_ref() {
            DeValue::Table(_) => key.span(),
            _ => value.span(),
        };
        self.walk.places.borrow_mut().insert(self.place(field), span.into());
        (!self.walk.is_broken(Span::from(value.span()))).then_some(value)
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.table.contains_key(field)
    }

    /// Reports the field when it is not there. In a broken file it may well be there.
    pub(super) fn need(&self, field: &'static str, why: &str, help: &str) {
        if !self.has(field) && self.walk.broken.is_empty() {
            self.fault(self.span, format!("{} has no `{field}`", self.title), why, help);
        }
    }

    fn wrong(&self, field: &str, value: &Spanned<DeValue<'_>>, wanted: &str, help: String) {
        let is = kind(value.get_ref());
        let message = format!("`{field}` in {} should be {wanted} and is {is}", self.title);
        self.fault(value.span().into(), message, format!("{is} stands here"), help);
    }

    fn written(&self, value: &Spanned<DeValue<'_>>) -> &'a str {
        let text = self.walk.source.slice(value.span().into());
        // Help quotes what was written; a long or many-lined value would drown it.
        if text.len() > 80 || text.contains(['\n', '"']) { ".." } else { text }
    }

    pub(super) fn text(&self, field: &'static str) -> Option<At<&'a str>> {
        let value = self.value(field)?;
        match value.get_ref().as_str() {
            Some(text) => self.filled(field, At { value: text, span: value.span().into() }),
            None => {
                let help = format!("write {field} = \"{}\"", self.written(value));
                self.wrong(field, value, "text", help);
                None
            }
        }
    }

    /// Refuses a text that is blank, or a blank that a draft left to fill in.
    fn filled(&self, field: &str, text: At<&'a str>) -> Option<At<&'a str>> {
        if text.value.trim().is_empty() {
            let message = format!("`{field}` in {} is empty", self.title);
            self.fault(
                text.span,
                message,
                "nothing stands between the quotes",
                "write something here, or take the line out",
            );
            return None;
        }
        if text.value.trim_start().starts_with(BLANK) {
            let asks = text.value.trim_start().trim_start_matches(BLANK).trim_start_matches(':').trim();
            let help = if asks.is_empty() { "replace it".to_owned() } else { format!("replace it by {asks}") };
            let message = format!("`{field}` in {} is a blank that is not filled in yet", self.title);
            self.fault(text.span, message, "only a person knows what belongs here", help);
            return None;
        }
        Some(text)
    }

    /// A list of texts; with `or_one`, a single text stands for a list of one.
    pub(super) fn texts(&self, field: &'static str, or_one: bool) -> Option<At<Vec<At<&'a str>>>> {
        let value = self.value(field)?;
        let span = Span::from(value.span());
        let Some(items) = value.get_ref().as_array() else {
            if let (true, Some(text)) = (or_one, value.get_ref().as_str()) {
                return Some(At { value: vec![self.filled(field, At { value: text, span })?], span });
            }
            let help = match value.get_ref().as_str() {
                Some(text) => format!("write {field} = [\"{}\"]", text.escape_default()),
                None => format!("write {field} = [\"..\"]"),
            };
            self.wrong(field, value, "a list of texts", help);
            return None;
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_str() {
                Some(text) => texts.push(self.filled(field, At { value: text, span: item.span().into() })),
                None => {
                    let help = format!("write \"{}\"", self.written(item));
                    self.wrong(field, item, "a list of texts", help);
                    texts.push(None);
                }
            }
        }
        Some(At { value: texts.into_iter().collect::<Option<Vec<_>>>()?, span })
    }

    pub(super) fn boolean(&self, field: &'static str) -> Option<At<bool>> {
        let value = self.value(field)?;
        if value.get_ref().as_bool().is_none() {
            self.wrong(field, value, "true or false", format!("write {field} = true or {field} = false"));
        }
        Some(At { value: value.get_ref().as_bool()?, span: value.span().into() })
    }

    /// A whole number of the range.
    pub(super) fn number(&self, field: &'static str, range: std::ops::RangeInclusive<u32>) -> Option<At<u32>> {
        let value = self.value(field)?;
        let bounds = match (range.start(), range.end()) {
            (only, most) if only == most => format!("{only}"),
            (least, most) => format!("a number from {least} to {most}"),
        };
        let Some(integer) = value.get_ref().as_integer() else {
            let help = format!("write {bounds}, without quotes");
            self.wrong(field, value, "a whole number", help);
            return None;
        };
        let span = Span::from(value.span());
        match u32::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) if range.contains(&number) => Some(At { value: number, span }),
            _ => {
                let message = format!("`{field}` in {} is out of range", self.title);
                self.fault(span, message, format!("only {bounds} will do"), format!("write {bounds}"));
                None
            }
        }
    }

    /// A duration over zero.
    pub(super) fn duration(&self, field: &'static str) -> Option<At<Duration>> {
        let value = self.value(field)?;
        let span = Span::from(value.span());
        let Some(text) = value.get_ref().as_str() else {
            // What the number counts only its writer knows.
            let help = format!("write it with its unit, like {field} = \"20s\" or \"14d\"; units are w, d, h, m, s");
            self.wrong(field, value, "a duration in quotes", help);
            return None;
        };
        let text = self.filled(field, At { value: text, span })?;
        let read = duration::parse(text.value);
        let label = match &read {
            Ok(duration) if duration.is_zero() => "zero is no time at all",
            Ok(duration) => return Some(At { value: *duration, span }),
            Err(wrong) => wrong,
        };
        let message = format!("`{field}` in {} is no duration", self.title);
        self.fault(
            span,
            message,
            label,
            format!("write it like {field} = \"20s\" or \"1h30m\"; units are w, d, h, m, s"),
        );
        None
    }

    pub(super) fn date(&self, field: &'static str) -> Option<At<jiff::civil::Date>> {
        let value = self.value(field)?;
        let date = value.get_ref().as_datetime().filter(|written| written.time.is_none());
        // In quotes too, as comments have it.
        let date = date.map(ToString::to_string).or_else(|| value.get_ref().as_str().map(str::to_owned));
        match date.and_then(|date| date.parse().ok()) {
            Some(date) => Some(At { value: date, span: value.span().into() }),
            None if value.get_ref().as_str().is_some() => {
                let message = format!("`{field}` in {} is no day", self.title);
                let help = format!("write {field} = \"2027-06-30\"");
                self.fault(value.span().into(), message, "no date of the calendar", help);
                None
            }
            None => {
                self.wrong(field, value, "a date alone", format!("write {field} = 2027-06-30, without a time"));
                None
            }
        }
    }

    /// One of the named values.
    pub(super) fn choice<T: Copy>(&self, field: &'static str, values: &[(&'static str, T)]) -> Option<At<T>> {
        let text = self.text(field)?;
        match values.iter().find(|(name, _)| *name == text.value) {
            Some((_, value)) => Some(At { value: *value, span: text.span }),
            None => {
                let message = format!("`{field}` in {} cannot be `{}`", self.title, brief(text.value));
                let help = meant(text.value, values.iter().map(|(name, _)| *name));
                self.fault(text.span, message, format!("no known {field}"), help);
                None
            }
        }
    }

    fn below(&self, path: String, title: String, span: Span, table: &'a DeTable<'a>) -> Section<'a> {
        Section { walk: self.walk, path, title, span, table, asked: RefCell::default() }
    }

    /// A table below this one.
    pub(super) fn table(&self, field: &'static str) -> Option<Section<'a>> {
        let value = self.value(field)?;
        let path = self.place(field);
        match value.get_ref().as_table() {
            Some(table) => Some(self.below(path.clone(), format!("[{path}]"), value.span().into(), table)),
            None => {
                self.wrong(field, value, "a table", format!("write [{path}] on a line of its own"));
                None
            }
        }
    }

    /// The tables below this one with the names that the user gave them, and where each name stands.
    pub(super) fn named_tables(&self) -> Vec<(At<&'a str>, Section<'a>)> {
        let mut tables = Vec::new();
        for (key, value) in self.table {
            let name = At { value: key.get_ref().as_ref(), span: Span::from(key.span()) };
            let path = self.place(name.value);
            self.walk.places.borrow_mut().insert(path.clone(), name.span);
            match value.get_ref().as_table() {
                Some(table) => {
                    let section = self.below(path.clone(), format!("[{path}]"), value.span().into(), table);
                    tables.push((name, section));
                }
                None if self.walk.is_broken(name.span) => {}
                None => self.wrong(name.value, value, "a table", format!("write [{path}] on a line of its own")),
            }
        }
        tables
    }

    /// `[[path.field]]`, each of them.
    pub(super) fn list_of_tables(&self, field: &'static str) -> Vec<Section<'a>> {
        let Some(value) = self.value(field) else { return Vec::new() };
        let path = self.place(field);
        let help = || format!("write [[{path}]] on a line of its own");
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(field, value, "a list of tables", help());
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let path = format!("{path}.{index}");
            self.walk.places.borrow_mut().insert(path.clone(), item.span().into());
            match item.get_ref().as_table() {
                Some(table) => {
                    let title = format!("[[{}]]", self.place(field));
                    tables.push(self.below(path, title, item.span().into(), table));
                }
                None => self.wrong(field, item, "a list of tables", help()),
            }
        }
        tables
    }

    /// Reports what nobody asked for.
    pub(super) fn finish(self) {
        let known = self.asked.borrow();
        for (key, _) in self.table {
            let name = key.get_ref().as_ref();
            // Below a broken header, a field may belong to another table.
            if !known.contains(&name) && !self.walk.broken_between(self.span, key.span().into()) {
                let message = format!("{} has no field `{}`", self.title, brief(name));
                let help = meant(name, known.iter().copied());
                self.fault(key.span().into(), message, "unknown field", help);
            }
        }
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// What was written, as one short line for a message.
pub(super) fn brief(text: &str) -> String {
    let mut start: String = text.chars().take(60).collect();
    if start.len() < text.len() {
        start.push_str("..");
    }
    start.escape_debug().to_string()
}
