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
    let (parsing, took, sites) = scanned(text);
    assert!(took < FREE + parsing * MOST, "{took:?} to scan what takes {parsing:?} to parse");
    sites
}

/// What it takes to parse a text and to scan what was parsed, and the outbound calls that were found.
fn scanned(text: &str) -> (Duration, Duration, usize) {
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
    (parsing, start.elapsed(), judged.sites.len())
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

/// What stands beside sends is looked at once, and not once for each of them, without a loop and in one.
#[test]
fn many_sends_beside_much_else() {
    let numbers = format!("let numbers = [{}];", "1, ".repeat(150_000));
    for (around, more) in [("", ""), ("while going", "going = false;")] {
        let text = |sends: usize, beside: &str| {
            let sends = many(sends, |out, at| writeln!(out, "let a{at} = http.post(\"https://x/{at}\").send().await;"));
            format!(
                "async fn main() {{ let http = reqwest::Client::new(); let mut going = true; \
                 {around} {{ {sends} {more} {beside} }} }}"
            )
        };
        let ((_, sends, found), (_, beside, _)) = (scanned(&text(SENDS, "")), scanned(&text(1, &numbers)));
        let (_, both, _) = scanned(&text(SENDS, &numbers));
        assert_eq!(found, SENDS);
        let most = (sends + beside) * 3 + Duration::from_secs(1);
        assert!(both < most, "{around} {more}: {sends:?} and {beside:?} apart, {both:?} together");
    }
}

const SENDS: usize = 400;

/// What leads back to itself, by way of every kind of name.
#[test]
fn names_in_a_circle() {
    let circles = [
        "type A = A;",
        "type A = A::B;",
        "type A = B::X; type B = C::Y; type C = A::Z;",
        "type A = <A as Into<A>>::B; type B = Vec<B>; type C = &'static C; type D = (D, D); type E = [E; 2];",
        "type A<T> = B<A<T>, A<T>>; type B<T, U> = A<B<T, U>>;",
        "use self::A as B; use self::B as A;",
        "use crate::a::*; mod a { pub use crate::b::*; } mod b { pub use crate::a::*; pub use super::*; }",
        "mod a { pub use super::b::A; } mod b { pub use super::a::A; } use a::A;",
        "trait A: B {} trait B: C {} trait C: A {} impl<T: A> B for T {} impl<T: B> A for T {}",
        "const A: &str = B; const B: &str = A; const C: &str = concat!(A, B); static D: &str = D;",
        "macro_rules! m { ($($x:tt)*) => { m! { $($x)* $($x)* } }; }",
        "macro_rules! a { () => { b!() }; } macro_rules! b { () => { a!() }; }",
        "struct A(B); struct B(A); impl std::ops::Deref for A { type Target = B; } impl std::ops::Deref for B { type Target = A; }",
        "impl A { const B: usize = Self::B; } struct A { a: Box<A>, f: fn(A) -> A }",
        "enum A { B = A::B as isize, C }",
        "#[path = \"main.rs\"] mod a; include!(\"main.rs\"); mod main;",
    ];
    let uses = "async fn used(a: A, b: B, url: &str) -> A { A::B; a.a.b(); m!(x); a!(); b.c.d(A, B, C); A::new().post(B::C)\
        .send().await; for x in a { x.b(D) } A }";
    for circle in circles {
        for text in [
            format!("{circle} {uses}"),
            format!("{uses} {circle}"),
            format!("mod inner {{ use super::*; {circle} {uses} }}"),
        ] {
            let text = format!("{text} async fn main() {{ let url = \"a\"; {SEND} }}");
            assert!(sites(&text) >= 1, "{circle}");
        }
    }
}

/// Functions and types that grow with every step.
#[test]
fn generics_without_an_end() {
    let text = "struct W<T>(T); impl<T> W<T> { fn go(self, n: u32) -> String { W(self).go(n) } \
        fn deep<F: Fn() -> T>(f: F) -> T { Self::deep(|| f()) } }\
        fn f<T: Into<String>>(x: T) -> String { f((x, 1)) } fn g(x: impl Fn() -> u8) -> u8 { g(move || x()) } \
        trait A { fn a(&self) -> Box<dyn A>; fn b(&self) { self.a().b() } } impl<T: A> A for W<T> { fn a(&self) -> Box<dyn A> { self.0.a() } }";
    let text = format!("{text} async fn main() {{ let url = f(W(W(1)).go(2)); {SEND} }}");
    assert_eq!(sites(&text), 1);
}

/// One macro call with everything in it, and a macro whose every arm calls two others.
#[test]
fn macros_that_swell() {
    let arms = many(40, |out, at| {
        writeln!(out, "macro_rules! m{at} {{ ($x:expr) => {{ (m{}!($x), m{}!($x)) }}; }}", at + 1, at + 1)
    });
    let list = "reqwest::Client::new().get(\"a\"), ".repeat(3000);
    let text = format!(
        "{arms} macro_rules! m40 {{ ($x:expr) => {{ $x.send() }}; }} async fn main() {{ let url = \"a\"; \
         m0!(reqwest::Client::new().post(url)); vec![{list}]; own! {{ {list} }} {SEND} }}"
    );
    assert!(sites(&text) >= 1);
}
