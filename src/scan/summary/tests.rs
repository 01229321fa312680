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

/// Syntax that the parser takes or refuses without reading it: every text ends, and what is called in it is found.
#[test]
fn syntax_that_is_not_stable_ends() {
    let calls = "(a)(b.send(c)).d(|| (e)(f))";
    let (mut met, mut ends) = (0, 0);
    let frames = [
        "become @",
        "become become @",
        "do yeet @",
        "builtin # offset_of(@)",
        "builtin # deref(@)",
        "try { @ }",
        "try bikeshed u8 { @ }",
        "gen { @ }",
        "async gen move { @ }",
        "const { @ }",
        "const || @",
        "static move |x| @",
        "for<'a> |x| -> u8 { @ }",
        "use || @",
        "yield @",
        "&raw const @",
        "unsafe { @ }",
        "x.use.@",
        "match x { _ if let y = @ && z => @, never!() }",
        "if let Some(x) = @ && @ { @ } else { @ }",
        "_ = @",
        "[const { @ }; _]",
        "<_>::m(@)",
        "super let x = @",
        "let x: pattern_type!(u8 is 1..) = @",
        "loop { break 'a: { @ } }",
    ];
    for frame in frames {
        for text in [frame.replace('@', calls), frame.replace('@', &frame.replace('@', calls))] {
            for text in
                [format!("fn f() {{ {text}; }}"), format!("fn f() {{ m!({text}); }}"), format!("m! {{ {text} }}")]
            {
                let summary = summarise(Source::new("a.rs", text));
                ends += 1;
                met += usize::from(summary.unread.is_none());
            }
        }
    }
    for item in [
        "auto trait A { fn a() { @; } }",
        "unsafe auto trait A {}",
        "trait A = B where C: D;",
        "impl const A for B { fn a() { @ } }",
        "impl !A for B {}",
        "default impl A for B { default fn a() { @ } }",
        "safe fn a() { @ }",
        "extern \"C\" { safe fn a(); unsafe static B: u8; type C; }",
        "macro a($b:expr) { @ }",
        "macro a { ($b:expr) => { @ } }",
        "const fn a(self: u8, ...) -> _ { @ }",
        "fn a(x @ Some(..): u8, &y: &u8) { @ }",
        "pub(in a::b) static mut A: u8 = @;",
        "enum A { B = @, C { d: u8 = @ } }",
        "struct A { b: u8 = @, unsafe c: u8 }",
        "type A<const B: u8 = { @ }> = C where D: E;",
        "reuse a::b { @ }",
        "fn a() -> impl use<'a, T> Sized { @ }",
        "global_asm!(\"\", const @);",
        "const _: () = @;",
        "static A = @;",
        "fn a<T: const B + ~const C + ?Sized + async Fn()>() { @ }",
    ] {
        let summary = summarise(Source::new("a.rs", item.replace('@', calls)));
        ends += 1;
        met += usize::from(summary.unread.is_none());
    }
    assert!(met > ends / 2, "only {met} of {ends} texts are read");
}

/// What each allow comment covers, as text.
fn covered(text: &str) -> Vec<(Vec<String>, Option<String>, String)> {
    let summary = read(text);
    let allows = summary.allows.iter();
    allows
        .map(|allow| (allow.rules.clone(), allow.reason.clone(), summary.source.slice(allow.covers).to_owned()))
        .collect()
}

#[test]
fn allow_comments_cover_a_statement_or_an_item() {
    let own = |line: &str| {
        covered(&format!("fn f() {{\n    // onlyonce: allow(a-b, reason = \"r\")\n    {line}\n    after();\n}}\n"))
    };
    for (line, expected) in [
        ("c.send().await;", "c.send().await;"),
        ("let x = c\n        .send();", "let x = c\n        .send();"),
        ("#[allow(x)]\n    c.send();", "c.send();"),
        ("if a { b() }", "if a { b() }"),
        ("fn inner() { g() }", "fn inner() { g() }"),
        ("spawn!(async { g() });", "spawn!(async { g() });"),
    ] {
        assert_eq!(own(line), [(vec!["a-b".to_owned()], Some("r".to_owned()), expected.to_owned())], "{line}");
    }
    let end = |code: &str| {
        covered(&code.replace('@', "// onlyonce: allow(a, reason = \"r\", until = \"2027-01-31\")")).remove(0).2
    };
    assert_eq!(end("fn f() {\n  a(); b(1,\n  2); @\n  c();\n}"), "b(1,\n  2);");
    assert_eq!(
        end("fn f() {\n  let x = c\n    .post(u) @\n    .send();\n}").split_once("//").unwrap().0,
        "let x = c\n    .post(u) "
    );
    assert_eq!(end("fn f() {\n  match x {\n    A => a(), @\n    B => b(),\n  }\n}"), "A => a(),");
    assert_eq!(
        end("fn f() { tokio::select! {\n  r = c.send() => { @\n   d(r) }\n  e = g() => {}\n} }")
            .split_once(" @")
            .unwrap_or(("r = c.send() => {", ""))
            .0,
        "r = c.send() => {"
    );
    assert_eq!(end("fn f() {\n  spawn!(async move {\n    @\n    c.send();\n    d();\n  });\n}"), "c.send();");
    assert_eq!(end("fn f() {\n  a();\n  @\n}"), "");
    assert_eq!(end("@\n#[x]\npub fn f() {}\nfn g() {}").lines().last().unwrap(), "pub fn f() {}");
    assert_eq!(end("#[x]\n@\npub fn f() {}\nfn g() {}").lines().last().unwrap(), "pub fn f() {}");
}

#[test]
fn allow_comments_are_comments_and_are_read_as_written() {
    let text = r####"
        /// onlyonce: allow(doc)
        fn f() {
            let a = "// onlyonce: allow(string)"; let b = r##"
            // onlyonce: allow(raw) "# "##; let c = '"'; let d = b'\''; let e: &'static str = "\\\" // onlyonce: allow(esc)";
            /* /* nested */ // onlyonce: allow(block) */
            a(); // onlyonce: allow(x)
            b(); // onlyonce: allow(y, reason = "  ")
            c(); // onlyonce: allow y
            d(); // onlyonce: allow(z-z, w, reason = "a \"b\"", until = "2027-06-30") trailing
            e(); // onlyonce: allow(z-z, w, reason = "a \"b\"", until = "2027-06-30")
        }
    "####;
    let found = read(text).allows;
    let rules: Vec<_> = found.iter().map(|allow| allow.rules.join(",")).collect();
    assert_eq!(rules, ["x", "y", "", "", "z-z,w"]);
    assert!(found[..4].iter().all(|allow| allow.reason.is_none()));
    assert_eq!(found[4].reason.as_deref(), Some("a \"b\""));
    assert_eq!(found[4].until.as_deref(), Some("2027-06-30"));
}

#[test]
fn macros_in_item_place_make_items() {
    let summary = read(
        "lazy_static! { static ref HTTP: reqwest::Client = reqwest::Client::new(); }
         thread_local!(static LOCAL: u8 = 1);
         cfg_if::cfg_if! { if #[cfg(test)] { fn t() {} } else if #[cfg(unix)] { fn u() {} } else { fn w() {} } }
         cfg_net! { pub fn net() { c.send(); } }
         proptest! { fn p(a in 0..9) { c.post(a).send(); } }
         bitflags! { struct A: u32 { const B = 1; } }
         wit_bindgen::generate!({ world: \"tool\" });
         impl S { cfg_net! { fn m(&self) {} } }
         macro_rules! post { ($c:expr, $($u:expr),*) => { $c.post($($u),*).send().await }; (item $n:ident) => { fn $n() { a.send() } }; }",
    );
    let names: Vec<_> =
        summary.items.iter().filter(|item| !item.name.is_empty()).map(|item| (item.name.as_str(), item.test)).collect();
    assert_eq!(
        names,
        [
            ("HTTP", false),
            ("LOCAL", false),
            ("t", true),
            ("u", false),
            ("w", false),
            ("net", false),
            ("proptest!", false),
            ("post", false)
        ]
    );
    assert_eq!(methods(&summary, "proptest!"), ["c.post(a)", "c.post(a).send()"]);
    let ItemKind::MacroRules(arms) = &item(&summary.items, "post").kind else { panic!() };
    assert_eq!(arms[0].parameters, ["c", "u"]);
    let sends = arms[0].body.nodes.iter().any(|node| matches!(&node.expr, Expr::Method { name, .. } if name == "send"));
    assert!(sends, "{:#?}", arms[0].body);
    assert_eq!(arms[1].items[0].name, "n");
    let calls = summary.items.iter().filter(|item| matches!(item.kind, ItemKind::MacroCall { .. }));
    assert_eq!(calls.count(), 7);
    let member = summary.items.iter().find_map(|item| match &item.kind {
        ItemKind::Impl(def) => def.items.first(),
        _ => None,
    });
    assert_eq!(member.unwrap().name, "m");
}

#[test]
fn no_text_breaks_the_reader() {
    let deep = |open: &str, close: &str, times: usize| {
        format!("fn f() {{ let x = {}1{}; }}", open.repeat(times), close.repeat(times))
    };
    for text in [
        deep("(", ")", 100_000),
        deep("[", "]", 100_000),
        deep("!", "", 100_000),
        deep("|x| ", "", 100_000),
        deep("a + ", "", 100_000),
        deep("&", "", 100_000),
        deep("return ", "", 100_000),
        deep("", ".a()", 100_000),
        deep("", "?", 100_000),
        deep("{", "}", 5_000),
        deep("!", "", 15_000),
        deep("a + ", "", 8_000),
        deep("|x| ", "", 5_000),
        deep("&", "", 15_000),
        deep("if a { b } else ", "", 50_000),
        deep("vec![", "]", 3_000),
        format!("type T = {}u8{};", "V<".repeat(100_000), ">".repeat(100_000)),
        // Separators that end nothing of what stands around them.
        format!("type T = {}u8{};", "V<u8, ".repeat(200_000), ">".repeat(200_000)),
        format!("type T = {}u8{};", "V<u8, ".repeat(4_000), ">".repeat(4_000)),
        format!("type T = {}u8;", "for<'a, 'b> fn() -> ".repeat(200_000)),
        format!("type T = {}u8;", "for<'a, 'b> fn() -> ".repeat(4_000)),
        format!("type T = {}u8{};", "impl A<u8, B = ".repeat(200_000), ">".repeat(200_000)),
        deep("|x, y| ", "", 100_000),
        deep("|x, y| ", "", 4_000),
        deep("{1} / ", "", 100_000),
        deep("{1} /* a */ + ", "", 100_000),
        deep("{1} // a\n as u8 + ", "", 100_000),
        deep("", "\u{2028}.a()", 100_000),
        deep("if a {} /* b */ else ", "", 100_000),
        format!("{}{}", "mod a {".repeat(100_000), "}".repeat(100_000)),
    ] {
        let summary = summarise(Source::new("deep.rs", text));
        assert!(summary.unread.is_some());
    }
    for text in [
        deep("(", ")", 250),
        deep("!", "", 2_000),
        format!("fn f(x: u8) {{ matches!(x, {} 1) }}", "1 | ".repeat(7_000)),
        deep("a + ", "", 1_500),
        deep("", ".a()", 700),
        deep("vec![", "]", 250),
        format!("fn f() {{ let x = {}{{ 1 }}; }}", "if a { b } else ".repeat(600)),
        deep("|x| ", "", 900),
        format!("type T = {}u8{};", "V<".repeat(1_300), ">".repeat(1_300)),
        format!("type T = {}u8{};", "V<u8, ".repeat(1_300), ">".repeat(1_300)),
        deep("|x, y| ", "", 900),
        // Long and flat.
        format!("const A: [u32; 40000] = [{}];", "1 << 3, A | B, ".repeat(20_000)),
        format!("fn f() {{ let x = [{}]; }}", "|a, b| a < b, ".repeat(20_000)),
        format!("fn f() {{ {} }}", "if a {} else {} /* c */ let b = {1} / 2; {} // d\n".repeat(20_000)),
        "".to_owned(),
        "\u{feff}".to_owned(),
        "#!/bin/x".to_owned(),
        "#![allow(x)]\r\nfn f() {}\r\n".to_owned(),
        format!("fn f() {{ {} }}", "let x = a.b(c, \"d\").e;\n".repeat(10 << 20 >> 8)),
    ] {
        let summary = summarise(Source::new("ok.rs", text));
        assert_eq!(summary.unread, None);
    }
    for text in [
        "fn f( {",
        "<<<<<<< HEAD",
        "fn f() { \"",
        "/* ",
        "'",
        "r#\"",
        "}}}",
        "// onlyonce:",
        "fn f() { $ }",
        "\0",
        "fn é(",
    ] {
        let summary = summarise(Source::new("bad.rs", text));
        if let Some(unread) = summary.unread {
            assert!(unread.span.end <= text.len() && !unread.reason.is_empty(), "{text}");
        }
    }
}

/// The docs of `f` as the parser has them: a line of each attribute.
fn docs_of_parser(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).expect("a file");
    let attributes = file.items.iter().find_map(|item| match item {
        syn::Item::Fn(item) if item.sig.ident == "f" => Some(&item.attrs),
        _ => None,
    });
    let text = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Lit(lit), .. }) => match &lit.lit {
            syn::Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let docs = attributes.expect("f").iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(text);
    docs.flat_map(|text| text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect::<Vec<_>>())
        .collect()
}

#[test]
fn docs_found_in_the_text_are_those_of_the_parser() {
    let forms = [
        "/// One.\n///\n///  Two, with a blank.\nfn f() {}\n",
        "/// Of `e`.\nfn e() {}\n// none\n//// none\n/// Of f.\n#[inline]\n/// Behind an attribute.\n#[cfg(a)] #[must_use] pub fn f() {}\n",
        "/// Of f.\r\n/// More.\r\nfn f() {}\r\n",
        "mod m {\n    //! Of the module.\n    /// Of e.\n    fn e() {}\n}\nstruct S {\n    /// Of a field.\n    a: u8,\n}\n/// Of f: é.\nfn f() {\n    //! Within.\n    /// Of g.\n    fn g() {}\n}\n",
        "#[doc = \"Written out.\"]\nfn f() {}\n",
        "/** In a block. */\nfn f() {}\n",
        "const A: &str = \"/// no doc\";\n/// Of f.\nfn f() {}\n",
        "#[cfg(test)]\nmod tests {\n    /// Of a test.\n    fn f() {}\n}\n/// Of f.\nfn f() {}\n",
    ];
    for text in forms {
        for tests in [true, false] {
            let summary = super::summarise_with(Source::new("src/a.rs", text), tests);
            assert_eq!(item(&summary.items, "f").docs, docs_of_parser(text), "{text}");
        }
    }
}

#[test]
fn trait_objects_of_old_need_no_dyn() {
    let text = "fn ask(done: &Fn(&mut Answer) -> Result<(), Error>, failed: Option<&'static Fn(u8)>, g: Box<FnMut()>) {\n    \
                send(done);\n}\nfn bound<F: Fn(u8) -> u8>(f: F, g: &mut FnMut()) {}\n";
    let summary = summarise(Source::new("src/lib.rs", text));
    assert_eq!(summary.unread, None);
    assert_eq!(summary.items.len(), 2);
    assert!(summary.called.functions.contains("send"));
    // What is broken stays so.
    let broken = summarise(Source::new("src/lib.rs", "fn ask(done: &Fn(u8) {}\n"));
    assert!(broken.unread.is_some());
}
