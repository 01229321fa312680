//! A rule's page as a test reads it.

/// The headings of every page, in this order.
const HEADINGS: [&str; 5] = ["What it finds", "Why it matters", "Example", "Use instead", "Allow"];

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// `rust`, `sql`, `toml`.
    pub(super) language: String,
    /// Without its marks.
    pub(super) text: String,
    /// Lines, counted from 1, that are marked with the rule's name.
    pub(super) marked: Vec<usize>,
}

/// The blocks under one heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) blocks: Vec<Block>,
}

impl Section {
    /// The blocks of a language, each with the nearest manifest above it.
    pub(super) fn programs(&self, language: &str) -> Vec<(Option<&Block>, &Block)> {
        let of_language = self.blocks.iter().enumerate().filter(|(_, block)| block.language == language);
        of_language
            .map(|(at, block)| (self.blocks[..at].iter().rev().find(|block| block.language == "toml"), block))
            .collect()
    }
}

/// Reads a page and demands its form: heading, summary, then the five sections in their order.
pub(super) fn sections(rule: &str, page: &str) -> [Section; 5] {
    let mut lines = page.lines();
    assert_eq!(lines.next(), Some(format!("# {rule}").as_str()), "{rule}: the heading is the name");
    assert_eq!(lines.next(), Some(""), "{rule}: a blank line below the heading");
    let summary = lines.next().unwrap_or_default();
    assert!(
        summary.ends_with('.') && !summary.trim_end_matches('.').contains(". "),
        "{rule}: the summary is one sentence"
    );
    let mut sections: [Section; 5] = Default::default();
    let mut headings = Vec::new();
    let mut block: Option<Block> = None;
    for line in lines {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => {
                block = Some(Block { language: language.to_owned(), text: String::new(), marked: Vec::new() });
            }
            (open @ Some(_), Some(_)) => {
                let at = headings.len().checked_sub(1).unwrap_or_else(|| panic!("{rule}: a block above the headings"));
                sections[at].blocks.extend(open.take());
            }
            (Some(block), None) => block.push(rule, line),
            (None, None) => headings.extend(line.strip_prefix("## ").map(str::to_owned)),
        }
    }
    assert_eq!(headings, HEADINGS, "{rule}: the headings");
    sections
}

impl Block {
    fn push(&mut self, rule: &str, line: &str) {
        let mark = ["//~ ", "--~ ", "#~ "].iter().find_map(|mark| line.split_once(mark));
        let code = match mark {
            Some((code, name)) => {
                assert_eq!(name.trim(), rule, "a mark of another rule");
                self.marked.push(self.text.lines().count() + 1);
                code.trim_end()
            }
            None => line,
        };
        self.text.push_str(code);
        self.text.push('\n');
    }
}
