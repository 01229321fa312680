//! A cheap look at a file before it is parsed: the comments that speak to us, docs, and how deep a parser would
//! have to go.

use crate::source::Span;

use super::places::is_name_byte;

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Line comments, no docs, that hold `onlyonce:`.
    pub(super) comments: Vec<Comment>,
    /// The most brackets that are open at once.
    pub(super) brackets: usize,
    /// The most tokens that stand unseparated behind one another, those around the open brackets included: a
    /// parser may descend once for each.
    pub(super) tokens: usize,
    /// The most `<` and `|` that stand behind one another with no end of a statement between them, those around the
    /// open brackets included: a `,` among generics or parameters does not end what they begin.
    pub(super) nested: usize,
    /// First byte of the place with the most brackets.
    pub(super) deepest: usize,
    /// A byte where the most tokens stand behind one another.
    pub(super) longest: usize,
    /// What stands in the braces of `#[cfg(test)] mod name { .. }`, where nothing in it leads to another file: no
    /// parser need read it where tests are left out.
    pub(super) tests: Vec<Span>,
    /// Whether something may lead to another file: `mod name;`, `include!`.
    pub(super) leads_on: bool,
    /// `/// ..`, in order: a parser makes seven tokens of each, and reads them twice.
    pub(super) docs: Vec<Comment>,
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    /// From `//` to the end of the line.
    pub(super) span: Span,
    /// One past the last byte of code before it on its line; `None` when there is none.
    pub(super) after: Option<usize>,
    /// First byte of the code behind it; the end of the text when there is none.
    pub(super) before: usize,
}

const MARK: &str = "onlyonce:";

/// Looks at the whole text. Never fails: what is no Rust is left to the parser.
pub(super) fn scan(text: &str) -> Scan {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        open: Vec::new(),
        sum: Count::default(),
        closed: false,
        scan: Scan::default(),
        last: None,
        waiting: 0,
        docs_waiting: 0,
        tests: None,
    };
    lexer.run();
    lexer.scan
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// One count for each open bracket, and one outside.
    open: Vec<Count>,
    /// The sum of `open`.
    sum: Count,
    /// Whether a `}` stands before: what comes next says whether the expression ended with it.
    closed: bool,
    scan: Scan,
    /// One past the last byte of code.
    last: Option<usize>,
    /// Comments whose `before` is not known yet stand from here on.
    waiting: usize,
    /// Docs of the same kind.
    docs_waiting: usize,
    tests: Option<Tests>,
}

/// What stands since the last separator.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Tokens since the last `,`, `;` or end of a block.
    tokens: usize,
    /// `<` and `|` since the last `;` or end of a block.
    nested: usize,
}

/// A module of tests that has begun.
#[derive(Clone, Copy)]
struct Tests {
    /// Its opening brace.
    brace: usize,
    /// How many brackets are open around what stands in it.
    depth: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        self.open.push(Count::default());
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t'..=b'\r' => {
                    self.at += 1;
                    continue;
                }
                b'/' if self.bytes.get(start + 1) == Some(&b'/') => {
                    self.line_comment();
                    continue;
                }
                b'/' if self.bytes.get(start + 1) == Some(&b'*') => {
                    self.block_comment();
                    continue;
                }
                _ => {}
            }
            if std::mem::take(&mut self.closed) && !self.goes_on() {
                self.separate();
            }
            match byte {
                b'"' => self.string(),
                b'\'' => self.quote(),
                _ if is_name_byte(byte) => self.word(),
                _ => self.punctuation(byte),
            }
            self.code(start);
        }
        self.settle(self.text.len());
    }

    /// Notes that code stood from `start` up to here.
    fn code(&mut self, start: usize) {
        self.last = Some(self.at);
        self.settle(start);
    }

    /// Tells the comments that wait for it what stands behind them.
    fn settle(&mut self, before: usize) {
        let waiting = self.scan.comments.iter_mut().skip(self.waiting);
        waiting.chain(self.scan.docs.iter_mut().skip(self.docs_waiting)).for_each(|comment| comment.before = before);
        (self.waiting, self.docs_waiting) = (self.scan.comments.len(), self.scan.docs.len());
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let length = self.bytes[start..].iter().position(|byte| *byte == b'\n');
        self.at = length.map_or(self.bytes.len(), |length| start + length);
        let comment = self.text.get(start..self.at).unwrap_or_default();
        let outer = comment.starts_with("///") && !comment.starts_with("////");
        if outer {
            let span = Span::new(start, self.at);
            self.scan.docs.push(Comment { span, after: None, before: 0 });
        } else if !comment.starts_with("//!") && comment.contains(MARK) {
            let line = self.text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let after = self.last.filter(|last| *last > line);
            let span = Span::new(start, start + comment.trim_end().len());
            self.scan.comments.push(Comment { span, after, before: 0 });
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match self.bytes.get(self.at..self.at + 2) {
                Some(b"/*") => depth += 1,
                Some(b"*/") => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
    }

    /// From a quote to its partner, escapes respected.
    fn string(&mut self) {
        self.token(1);
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
        self.at = self.bytes.len();
    }

    /// A character, or a lifetime.
    fn quote(&mut self) {
        self.token(1);
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let mut chars = rest.chars();
        let length = match (chars.next(), chars.next()) {
            (Some('\\'), Some(escaped)) => {
                let from = 1 + escaped.len_utf8();
                rest.get(from..).and_then(|tail| tail.find('\'')).map_or(from, |end| from + end + 1)
            }
            (Some(one), Some('\'')) => one.len_utf8() + 1,
            _ => 0,
        };
        self.at += 1 + length;
    }

    /// A name, a number, or the prefix of a string.
    fn word(&mut self) {
        self.token(1);
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| is_name_byte(*byte)) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if word == b"include" || word == b"mod" && opened(self.text.get(self.at..).unwrap_or_default()).is_none() {
            self.scan.leads_on = true;
            self.tests.take_if(|tests| tests.brace < start);
        }
        if matches!(word, b"r" | b"br" | b"cr") {
            self.raw_string();
        } else if matches!(word, b"b" | b"c") {
            match self.bytes.get(self.at) {
                Some(b'"') => self.string(),
                Some(b'\'') => self.quote(),
                _ => {}
            }
        }
    }

    /// `#"..."#` behind an `r`; anything else is left alone.
    fn raw_string(&mut self) {
        let hashes = self.bytes[self.at..].iter().take_while(|byte| **byte == b'#').count();
        if self.bytes.get(self.at + hashes) != Some(&b'"') {
            return;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let from = self.at + hashes + 1;
        let length = self.text.get(from..).and_then(|rest| rest.find(&end));
        self.at = length.map_or(self.bytes.len(), |length| from + length + end.len());
    }

    fn punctuation(&mut self, byte: u8) {
        self.at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                self.token(1);
                self.open.push(Count::default());
                if let Some(tests) = &mut self.tests
                    && tests.brace == self.at - 1
                {
                    tests.depth = self.open.len();
                }
                if self.open.len() > self.scan.brackets + 1 {
                    self.scan.brackets = self.open.len() - 1;
                    self.scan.deepest = self.at - 1;
                }
            }
            b')' | b']' | b'}' => {
                if let Some(tests) = self.tests.take_if(|tests| tests.depth == self.open.len()) {
                    self.scan.tests.push(Span::new(tests.brace + 1, self.at - 1));
                }
                if self.open.len() > 1 {
                    let count = self.open.pop().unwrap_or_default();
                    self.sum.tokens -= count.tokens;
                    self.sum.nested -= count.nested;
                }
                self.closed = byte == b'}';
            }
            b';' => self.separate(),
            b',' => self.next_part(),
            b'<' | b'|' => {
                self.token(1);
                self.nest();
            }
            b'#' => {
                self.token(1);
                if self.tests.is_none() {
                    let brace = test_module(self.text.get(self.at - 1..).unwrap_or_default());
                    self.tests = brace.map(|brace| Tests { brace: self.at - 1 + brace, depth: 0 });
                }
            }
            _ => self.token(1),
        }
    }

    /// Whether the expression before a `}` goes on with the token that stands here.
    fn goes_on(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.first() {
            Some(byte) if is_name_byte(*byte) => {
                let name = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
                matches!(&rest[..name], b"else" | b"as")
            }
            Some(b'#' | b'\'' | b'"' | b'}' | b')' | b']' | b',' | b';') | None => false,
            Some(_) => true,
        }
    }

    fn separate(&mut self) {
        self.next_part();
        if let Some(count) = self.open.last_mut() {
            self.sum.nested -= count.nested;
            count.nested = 0;
        }
    }

    /// A `,` ends what stands before it, unless it is within generics or the parameters of a closure.
    fn next_part(&mut self) {
        if let Some(count) = self.open.last_mut() {
            self.sum.tokens -= count.tokens;
            count.tokens = 0;
        }
    }

    fn nest(&mut self) {
        if let Some(count) = self.open.last_mut() {
            count.nested += 1;
            self.sum.nested += 1;
        }
        self.scan.nested = self.scan.nested.max(self.sum.nested);
    }

    fn token(&mut self, weight: usize) {
        if let Some(count) = self.open.last_mut() {
            count.tokens += weight;
            self.sum.tokens += weight;
        }
        if self.sum.tokens > self.scan.tokens {
            self.scan.tokens = self.sum.tokens;
            self.scan.longest = self.at;
        }
    }
}

/// The text from the brace on, where a name and a brace stand behind `mod`: the module has no file of its own.
fn opened(behind: &str) -> Option<&str> {
    let name = behind.trim_start();
    let rest = name.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || sign == '_').trim_start();
    (rest.len() < name.len() && rest.starts_with('{')).then_some(rest)
}

/// Where the brace of `#[cfg(test)] mod name {` stands, when the text begins so; further attributes may stand
/// between.
fn test_module(text: &str) -> Option<usize> {
    let mut rest = text.strip_prefix("#[cfg(test)]")?.trim_start();
    while let Some(attribute) = rest.strip_prefix("#[") {
        let (inside, behind) = attribute.split_once(']')?;
        if inside.contains(['[', '"', '\'', '/']) {
            return None;
        }
        rest = behind.trim_start();
    }
    for visibility in ["pub(crate)", "pub(super)", "pub"] {
        rest = rest.strip_prefix(visibility).map_or(rest, str::trim_start);
    }
    opened(rest.strip_prefix("mod ")?).map(|inside| text.len() - inside.len())
}
