//! A page as Markdown that GitHub and GitLab render, the picture as Mermaid.

use crate::docs::block::{Block, Inline, Page, Rich};
use crate::docs::machine::{Machine, State};

/// The whole page.
pub(super) fn page(page: &Page) -> String {
    let mut text = format!("# {}\n\n{}\n", rich(&page.title), rich(&page.lead));
    for block in &page.blocks {
        text.push('\n');
        text.push_str(&self::block(block));
    }
    text
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(heading) => format!("## {}\n", escape(heading)),
        Block::Paragraph(paragraph) => format!("{}\n", rich(paragraph)),
        Block::Note(note) => format!("> **{}**\n", rich(note)),
        Block::Facts(facts) => {
            let rows: Vec<String> = facts
                .iter()
                .map(|(name, what)| format!("| {} | {} |\n", cell(&escape(name)), cell(&rich(what))))
                .collect();
            format!("| | |\n|---|---|\n{}", rows.concat())
        }
        Block::Table { head, rows } => table(head, rows),
        Block::List(items) => items.iter().map(|item| format!("- {}\n", rich(item))).collect(),
        Block::Machine(machine) => mermaid(machine),
    }
}

fn table(head: &[String], rows: &[Vec<Rich>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(head.iter().map(|name| cell(&escape(name))).collect());
    text.push_str(&format!("|{}\n", "---|".repeat(head.len())));
    for row in rows {
        text.push_str(&line(row.iter().map(|value| cell(&rich(value))).collect()));
    }
    text
}

/// A bar ends a cell even inside code.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn rich(text: &Rich) -> String {
    text.0.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Text(text) => escape(text),
        Inline::Code(code) => self::code(code),
        Inline::Page(name) => format!("[{name}]({name}.md)"),
        Inline::Address(address) => format!("<{address}>"),
    }
}

/// A fence longer than any row of backticks inside.
fn code(code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", code.replace(['\n', '\r'], " "))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => escaped.push(' '),
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}

fn mermaid(machine: &Machine) -> String {
    let name = |state: State| if state == State::Start { "[*]" } else { state.name() };
    let mut text = String::from("```mermaid\nstateDiagram-v2\n    direction LR\n");
    for step in &machine.steps {
        let words = step.words.replace('\n', " ").replace(':', ",");
        text.push_str(&format!("    {} --> {}: {words}\n", name(step.from), name(step.to)));
    }
    text.push_str("    sent --> [*]\n```\n");
    text
}
