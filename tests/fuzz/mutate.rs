//! Changes to texts that keep most of them Rust: whole tokens, bracketed groups and statements are moved, doubled,
//! nested, renamed and taken from another text. Bytes alone rarely get past the parser.

/// A text that is cut into tokens; white space and comments belong to the token before them.
struct Tokens<'t> {
    text: &'t str,
    /// Where each token starts, and the end of the text.
    starts: Vec<usize>,
}

/// xorshift: the same seed gives the same changes.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u32) -> Chance {
        Chance(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`; 0 when that is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Tokens<'t> {
        let mut starts = vec![0];
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = if is_name(first) {
                rest.find(|c| !is_name(c)).unwrap_or(rest.len())
            } else if first == '"' {
                string(rest)
            } else {
                first.len_utf8()
            };
            at += length + space(&rest[length..]);
            starts.push(at);
        }
        Tokens { text, starts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn text(&self, from: usize, to: usize) -> &'t str {
        &self.text[self.starts[from]..self.starts[to]]
    }

    fn first(&self, at: usize) -> char {
        self.text[self.starts[at]..].chars().next().unwrap_or(' ')
    }

    /// Where the piece ends that starts here: a group at its bracket, else one token.
    fn tree(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for at in from..self.len() {
            match self.first(at) {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.len()
    }

    /// Where the statement, item or argument ends that starts here.
    fn statement(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.len() && !matches!(self.first(at), ')' | ']' | '}') {
            let (first, end) = (self.first(at), self.tree(at));
            if matches!(first, ';' | ',' | '{') {
                return end;
            }
            at = end;
        }
        at.max((from + 1).min(self.len()))
    }

    /// A piece somewhere: one token or group, or one statement.
    fn piece(&self, chance: &mut Chance) -> (usize, usize) {
        let from = chance.below(self.len());
        let to = if chance.below(2) == 0 { self.tree(from) } else { self.statement(from) };
        (from, to)
    }

    fn name(&self, chance: &mut Chance) -> &'t str {
        let names = (0..16).map(|_| chance.below(self.len())).map(|at| self.text(at, at + 1));
        let mut names = names.filter(|text| text.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let name = names.next().unwrap_or("x");
        &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())]
    }
}

/// The length of a string literal.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the white space and the comments at the start.
fn space(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with(char::is_whitespace) {
            at += rest.len() - rest.trim_start().len();
        } else {
            return at;
        }
    }
}

/// What may stand around an expression, a type or a pattern.
const AROUND: [(&str, &str); 18] = [
    ("(", ")"),
    ("{ ", " }"),
    ("[", "]"),
    ("async { ", ".await }"),
    ("|x| ", ""),
    ("|| async move { ", " }"),
    ("Some(", ")?"),
    ("Box::pin(", ").await"),
    ("once.run(\"k\", || ", ").await"),
    ("if let Some(x) = ", " { x } else { return }"),
    ("loop { break ", " }"),
    ("match ", " { x => x }"),
    ("tokio::select! { r = ", " => { r } }"),
    ("format!(\"{}\", ", ")"),
    ("serde_json::json!({\"a\": ", "})"),
    ("&*", ""),
    ("Vec<", ">"),
    ("impl Fn(", ") -> Self"),
];

const WORDS: [&str; 32] = [
    "async",
    "await",
    "self",
    "Self",
    "super::",
    "crate::",
    "use",
    "mod a",
    "impl",
    "for",
    "dyn",
    "fn f()",
    "type A =",
    "const M: A =",
    "static",
    "let x =",
    "macro_rules! m { ($($x:tt)*) => { $($x)* }; }",
    "#[cfg(test)]",
    "!",
    "?",
    ";",
    "::",
    "=>",
    "->",
    "'a",
    "// onlyonce: allow(unguarded-send, reason = \"x\")\n",
    "pub use a::*;",
    "include!(\"main.rs\");",
    "#[path = \"main.rs\"] mod b;",
    "where",
    "..",
    "\u{feff}\u{e9}\u{0}",
];

/// One change.
pub(crate) fn mutate(text: &str, chance: &mut Chance) -> String {
    let tokens = Tokens::new(text);
    if tokens.len() == 0 {
        return chance.of(&WORDS).to_owned();
    }
    let (from, to) = tokens.piece(chance);
    let (before, piece, after) = (tokens.text(0, from), tokens.text(from, to), tokens.text(to, tokens.len()));
    match chance.below(8) {
        0 => format!("{before}{after}"),
        1 => format!("{before}{}{after}", piece.repeat(1 << chance.below(6))),
        2 => {
            let (open, close) = chance.of(&AROUND);
            let times = 1 << chance.below(chance.0 as usize % 7 + 1);
            format!("{before}{}{piece}{}{after}", open.repeat(times), close.repeat(times))
        }
        3 => format!("{before}{} {piece}{after}", chance.of(&WORDS)),
        4 => {
            let (from, to) = tokens.piece(chance);
            format!("{before}{}{after}", tokens.text(from, to))
        }
        5 => {
            let (from, to) = tokens.piece(chance);
            format!("{before}{} {piece}{after}", tokens.text(from, to))
        }
        6 => format!("{before}{} {after}", tokens.name(chance)),
        _ => renamed(&tokens, tokens.name(chance), tokens.name(chance)),
    }
}

/// The text with every use of one name turned into another: names that meet make cycles and doubles.
fn renamed(tokens: &Tokens, old: &str, new: &str) -> String {
    let mut out = String::new();
    for at in 0..tokens.len() {
        let token = tokens.text(at, at + 1);
        match token.strip_prefix(old).filter(|rest| !rest.starts_with(is_name)) {
            Some(rest) => out.extend([new, rest]),
            None => out.push_str(token),
        }
    }
    out
}

/// One text with a piece of another in it.
pub(crate) fn splice(one: &str, other: &str, chance: &mut Chance) -> String {
    let (one, other) = (Tokens::new(one), Tokens::new(other));
    if one.len() == 0 || other.len() == 0 {
        return format!("{}{}", one.text, other.text);
    }
    let ((from, to), (start, end)) = (one.piece(chance), other.piece(chance));
    let to = if chance.below(2) == 0 { from } else { to };
    format!("{}{}{}", one.text(0, from), other.text(start, end), one.text(to, one.len()))
}

/// libFuzzer's form of [`mutate`]; one change in eight is left to `bytes`.
pub(crate) fn in_place(
    data: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    bytes: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut chance = Chance::new(seed);
    if chance.below(8) == 0 {
        return bytes(data, size, most);
    }
    let mut text = String::from_utf8_lossy(&data[..size]).into_owned();
    for _ in 0..=chance.below(4) {
        text = mutate(&text, &mut chance);
    }
    written(&text, &mut data[..most])
}

/// libFuzzer's form of [`splice`].
pub(crate) fn splice_into(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let text = splice(&String::from_utf8_lossy(one), &String::from_utf8_lossy(other), &mut Chance::new(seed));
    written(&text, out)
}

/// As much of the text as there is room for.
fn written(text: &str, out: &mut [u8]) -> usize {
    let length = text.len().min(out.len());
    out[..length].copy_from_slice(&text.as_bytes()[..length]);
    length
}
