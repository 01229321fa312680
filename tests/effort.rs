//! Code that is made to be hard: the scan must end within a generous multiple of the time that parsing takes.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use onlyonce::catalog::Catalog;
use onlyonce::scan::index::{Index, Package};
use onlyonce::scan::summary::summarise;
use onlyonce::scan::{Scan, sinks};
use onlyonce::source::Source;

/// Times the scan may take, in units of what parsing takes.
const MOST: u32 = 60;
/// What any scan may take: machines stall, and the tables of the catalog cost the same for every text.
const FREE: Duration = Duration::from_secs(5);

/// Scans a text and holds the time against that of parsing it; the outbound calls that were found.
fn sites(text: &str) -> usize {
    let start = Instant::now();
    let summary = summarise(Source::new("src/main.rs", text));
    let parsing = start.elapsed();
    assert_eq!(summary.unread, None);
    let package = Package {
        name: "case".into(),
        library: "case".into(),
        dependencies: [("reqwest".to_owned(), "reqwest".to_owned())].into(),
        roots: vec!["src/main.rs".into()],
        ..Package::default()
    };
    let catalog = Catalog::embedded();
    let start = Instant::now();
    let scan = Scan::of(Index::build(vec![package], vec![summary]), catalog, &sinks::Settings::default(), &|_| {});
    let judged = scan.judge(catalog, None, jiff::civil::date(2026, 1, 1));
    let took = start.elapsed();
    assert!(took < FREE + parsing * MOST, "{took:?} to scan what takes {parsing:?} to parse");
    judged.sites.len()
}

/// A text of `count` pieces, with one send behind `url`.
fn many(count: usize, mut piece: impl FnMut(&mut String, usize) -> std::fmt::Result) -> String {
    let mut text = String::new();
    for at in 0..count {
        piece(&mut text, at).unwrap();
    }
    text
}

const SEND: &str = "reqwest::Client::new().post(url).send().await.unwrap();";

#[test]
fn helpers_that_each_call_two_others() {
    let text = many(60, |out, at| {
        writeln!(out, "fn f{at}(x: &str) -> String {{ format!(\"{{}}/{{}}\", f{}(x), f{}(x)) }}", at + 1, at + 2)
    });
    let text = format!("{text} fn f60(x: &str) -> String {{ x.into() }} fn f61(x: &str) -> String {{ x.into() }}");
    let text = format!("{text} async fn main() {{ let url = f0(\"a\"); {SEND} }}");
    assert_eq!(sites(&text), 1);
}

#[test]
fn helpers_that_all_call_each_other() {
    let text = many(300, |out, at| {
        let (one, two) = ((at * 7 + 1) % 300, (at * 13 + 5) % 300);
        writeln!(out, "fn f{at}(x: &str) -> String {{ if x.is_empty() {{ f{one}(x) }} else {{ f{two}(x) }} }}")
    });
    let text = format!("{text} async fn main() {{ let url = f0(\"a\"); {SEND} }}");
    assert_eq!(sites(&text), 1);
}

#[test]
fn helpers_that_send_what_their_callers_give() {
    let text = many(40, |out, at| {
        writeln!(out, "async fn f{at}(url: &str) {{ f{}(url).await; f{}(url).await; }}", at + 1, at + 2)
    });
    let text = format!("{text} async fn f40(url: &str) {{ {SEND} }} async fn f41(url: &str) {{ {SEND} }}");
    assert_eq!(sites(&text), 2);
}

#[test]
fn variables_that_double_what_the_one_before_holds() {
    for (first, next) in [("\"a\".to_string()", "{0} + &{0}"), ("(1, 2)", "({0}.clone(), {0}.clone())")] {
        let text = many(400, |out, at| writeln!(out, "let a{} = {};", at + 1, next.replace("{0}", &format!("a{at}"))));
        let text = format!("async fn main() {{ let a0 = {first}; {text} let url = a400; {SEND} }}");
        assert_eq!(sites(&text), 1);
    }
}

#[test]
fn helpers_that_double_what_they_are_given() {
    let text =
        many(60, |out, at| writeln!(out, "fn f{at}(x: &str) -> String {{ f{}(&format!(\"{{x}}{{x}}\")) }}", at + 1));
    let text =
        format!("{text} fn f60(x: &str) -> String {{ x.into() }} async fn main() {{ let url = f0(\"a\"); {SEND} }}");
    assert_eq!(sites(&text), 1);
}

#[test]
fn aliases_that_multiply() {
    let text = many(30, |out, at| writeln!(out, "type A{} = (A{at}, A{at}, A{at}, A{at}, A{at}, A{at});", at + 1));
    let text =
        format!("struct A0; {text} fn made() -> A30 {{ todo!() }} async fn main() {{ let url = made(); {SEND} }}");
    assert_eq!(sites(&text), 1);
}

#[test]
fn long_bodies() {
    let text = many(3000, |out, at| writeln!(out, "let a{} = keep(a{at}.trim());", at + 1));
    let text = format!(
        "fn keep(x: &str) -> String {{ x.into() }} async fn main() {{ let a0 = \"a\"; {text} let url = a3000; {SEND} }}"
    );
    assert_eq!(sites(&text), 1);
}

#[test]
fn answers_that_are_set_from_themselves_and_each_other() {
    let sets = many(40, |out, at| {
        writeln!(out, "if a{at}.is_err() {{ a{at} = keep(a{}, a{}); }}", (at * 7 + 1) % 40, (at * 3 + 2) % 40)
    });
    let lets = many(40, |out, at| writeln!(out, "let mut a{at} = keep(1, 2);"));
    let send = "a1 = reqwest::Client::new().post(url).send().await; if a1.is_ok() { return }";
    let text = format!("async fn main() {{ let url = \"u\"; {lets} loop {{ {send} {sets} }} }}");
    assert_eq!(sites(&text), 1);
}

#[test]
fn many_sends_in_one_loop() {
    let sends = many(800, |out, at| {
        writeln!(out, "if reqwest::Client::new().post(\"https://x/{at}\").send().await.is_ok() {{ break }}")
    });
    assert_eq!(sites(&format!("async fn main() {{ loop {{ {sends} }} }}")), 800);
}
