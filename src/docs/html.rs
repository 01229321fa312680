//! All pages as one HTML file that needs no other, for screen and paper.

mod picture;

use crate::docs::MARK;
use crate::docs::block::{Block, Inline, Page, Rich};
use crate::docs::english::{LANGUAGE, TITLE};

/// Code of more octets may break after a full stop too.
const LONG: usize = 30;

const STYLE: &str = include_str!("html/style.css");

/// The whole document.
pub(super) fn document(pages: &[Page]) -> String {
    let links: String = pages.iter().skip(1).map(|page| format!("<li>{}</li>\n", link(&page.name))).collect();
    let articles: String = pages.iter().map(article).collect();
    format!(
        "<!doctype html>\n<html lang=\"{LANGUAGE}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <!-- {MARK}; do not edit it. -->\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{TITLE}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <nav><a class=\"home\" href=\"#index\">{TITLE}</a>\n<ul>\n{links}</ul></nav>\n\
         <main>\n{articles}</main>\n</body>\n</html>\n"
    )
}

fn article(page: &Page) -> String {
    let blocks: String = page.blocks.iter().map(block).collect();
    format!(
        "<article id=\"{}\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{blocks}</article>\n",
        escape(&page.name),
        rich(&page.title),
        rich(&page.lead)
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(heading) => format!("<h2>{}</h2>\n", escape(heading)),
        Block::Paragraph(paragraph) => format!("<p>{}</p>\n", rich(paragraph)),
        Block::Note(note) => format!("<p class=\"note\">{}</p>\n", rich(note)),
        Block::Facts(facts) => {
            let rows: String = facts
                .iter()
                .map(|(name, what)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), rich(what)))
                .collect();
            format!("<dl>\n{rows}</dl>\n")
        }
        Block::Table { head, rows } => table(head, rows),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", rich(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Machine(machine) => picture::svg(machine),
    }
}

fn table(head: &[String], rows: &[Vec<Rich>]) -> String {
    let head: String = head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            let cells: String = row.iter().map(|value| format!("<td>{}</td>", rich(value))).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!("<div class=\"table\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n")
}

fn rich(text: &Rich) -> String {
    text.0.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Text(text) => escape(text),
        Inline::Code(code) => format!("<code>{}</code>", breakable(code)),
        Inline::Page(name) => link(name),
        Inline::Address(address) => format!("<a href=\"{0}\">{0}</a>", escape(address)),
    }
}

fn link(name: &str) -> String {
    format!("<a href=\"#{0}\">{0}</a>", escape(name))
}

/// Long paths and keys break after their separators rather than anywhere.
fn breakable(code: &str) -> String {
    let code = escape(code).replace("::", "::<wbr>").replace('/', "/<wbr>").replace('_', "_<wbr>");
    if code.len() > LONG { code.replace('.', ".<wbr>") } else { code }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
