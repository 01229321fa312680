//! What one file is lowered to.

use crate::scan::ir::{Body, Expr, FileSummary, Item, ItemKind, MacroShape};
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

/// The shape of the first macro of `f`, and the text of what it holds.
fn shape(text: &str) -> (String, Vec<String>) {
    let summary = read(text);
    let body = body_of(&summary, "f");
    let calls = body.nodes.iter().filter_map(|node| match &node.expr {
        Expr::Macro(call) => Some((node, call)),
        _ => None,
    });
    let (node, call) = calls.min_by_key(|(node, _)| node.span.start).unwrap();
    let name = match &call.shape {
        MacroShape::Exprs(_) => "exprs",
        MacroShape::Block(_) => "block",
        MacroShape::Select(_) => "select",
        MacroShape::Map(_) => "map",
        MacroShape::Tokens(_) => "tokens",
        MacroShape::Inert => "inert",
    };
    let mut held = Vec::new();
    node.expr.children(&mut |child| held.push(summary.source.slice(body.node(child).span).to_owned()));
    (name.to_owned(), held)
}

#[test]
fn macros_are_read_rung_by_rung() {
    let cases: [(&str, &str, &[&str]); 26] = [
        ("format!(\"{a}-{:?}-{a}\", b.c())", "exprs", &["\"{a}-{:?}-{a}\"", "a", "b.c()"]),
        ("write!(out, \"{x}{y}\", y = 2)", "exprs", &["\"{x}{y}\"", "x", "out", "2"]),
        (
            "info!(status = ?h.post(u).send().await, %who, http.code = c.x(), \"sent {id}\")",
            "exprs",
            &["\"sent {id}\"", "id", "h.post(u).send().await", "who", "c.x()"],
        ),
        ("tracing::warn!(target: \"t\", \"x\")", "exprs", &["\"t\"", "\"x\""]),
        ("spawn!(async move { h.post(u).send().await; })", "exprs", &["async move { h.post(u).send().await; }"]),
        ("tokio::try_join!(a.send(), b.send())", "exprs", &["a.send()", "b.send()"]),
        ("stream! { let r = h.send().await; yield r; }", "block", &["let r = h.send().await; yield r;"]),
        ("timed!(\"x\"; h.send())", "block", &["\"x\"; h.send()"]),
        ("matches!(x.y(), Some(_) | None if z())", "exprs", &["x.y(), Some(_) | None if z()", "z()"]),
        ("stringify!(client.post(u).send())", "inert", &[]),
        ("quote! { #x.send() }", "inert", &[]),
        (
            "json!({\"a\": b.c(), \"n\": null, k: [1, {\"d\": e}], (f()): g})",
            "map",
            &["b.c()", "null", "[1, {\"d\": e}]", "f()", "g"],
        ),
        ("json!([a, {\"b\": c}])", "exprs", &["[a, {\"b\": c}]"]),
        ("json!(payload.x)", "exprs", &["payload.x"]),
        ("hashmap! { \"a\" => b(), c.d() => e }", "map", &["b()", "c.d()", "e"]),
        ("doc! { \"$set\": { \"a\": 1 } }", "map", &["{ \"a\": 1 }"]),
        ("table![a => b.send(), c: d()]", "exprs", &["a", "b.send()", "d()"]),
        (
            "html! { <div on={move |_| { x.send(y); }}> { c.post(u).send().await? } </div> }",
            "tokens",
            &["move |_| { x.send(y); }", "c.post(u).send().await?"],
        ),
        (
            "ask!(please post <- h.post(u).send().await, fn name(a) struct B(c) #[d(e)] => ok::<T>(1))",
            "tokens",
            &["h.post(u).send().await", "ok::<T>(1)"],
        ),
        ("rows!(<<>> log!(\"{}\", a.b()) ;; c.d)", "tokens", &["log!(\"{}\", a.b())"]),
        ("include_str!(\"q.graphql\")", "exprs", &["\"q.graphql\""]),
        ("anyhow!(err)", "exprs", &["err"]),
        ("assert!(a.is_ok(), \"no {a:?}\")", "exprs", &["\"no {a:?}\"", "a", "a.is_ok()"]),
        ("cond!(if a { b() } else { c() })", "exprs", &["if a { b() } else { c() }"]),
        ("nothing!()", "exprs", &[]),
        ("sql!(SELECT a FROM b WHERE c = ?)", "tokens", &[]),
    ];
    for (call, name, held) in cases {
        let (found, list) = shape(&format!("async fn f() {{ let x = {call}; }}"));
        assert_eq!(
            (found.as_str(), list.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
            (name, held),
            "{call}"
        );
    }
}
