//! What one file is lowered to.

use crate::scan::ir::{Body, Expr, FileSummary, Item, ItemKind};
use crate::source::Source;

use super::summarise;

fn read(text: &str) -> FileSummary {
    let summary = summarise(Source::new("src/a.rs", text));
    assert_eq!(summary.unread, None, "{text}");
    summary
}

fn item<'s>(items: &'s [Item], name: &str) -> &'s Item {
    items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("no {name} in {items:#?}"))
}

/// The body of a function by its name.
fn body_of<'s>(summary: &'s FileSummary, name: &str) -> &'s Body {
    match &item(&summary.items, name).kind {
        ItemKind::Fn(function) => function.body.as_ref().unwrap(),
        other => panic!("{name} is no function: {other:?}"),
    }
}

/// The text of every method call, in the order of the text.
fn methods(summary: &FileSummary, name: &str) -> Vec<String> {
    let body = body_of(summary, name);
    let mut found: Vec<_> = body.nodes.iter().filter(|node| matches!(node.expr, Expr::Method { .. })).collect();
    found.sort_by_key(|node| (node.span.end, node.span.start));
    found.iter().map(|node| summary.source.slice(node.span).to_owned()).collect()
}

#[test]
fn chains_keep_their_bytes_and_parents() {
    let text =
        "\u{feff}#!/usr/bin/env rust\r\n// é\r\nasync fn f(c: &C) {\r\n    (c).post(\"ü\").send().await?;\r\n}\r\n";
    let summary = read(text);
    assert_eq!(methods(&summary, "f"), ["(c).post(\"ü\")", "(c).post(\"ü\").send()"]);
    let body = body_of(&summary, "f");
    for id in body.ids() {
        let outer = body.node(id).parent.map_or(body.node(body.root.unwrap()).span, |parent| body.node(parent).span);
        assert!(outer.contains(body.node(id).span), "{:?}", body.node(id));
        body.expr(id).children(&mut |child| assert_eq!(body.node(child).parent, Some(id)));
    }
    assert_eq!(body.ids().filter(|id| body.node(*id).parent.is_none()).count(), 1);
}
