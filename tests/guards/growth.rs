//! Code that makes what is known of a value grow without end: the scan ends, and soon.

use onlyonce::scan::site::Verdict;

use super::bench::program;

/// Each line of the text twice the one before: 2^64 pieces.
fn doubled(line: impl Fn(usize, usize) -> String) -> String {
    (0..64).map(|at| line(at + 1, at)).collect()
}

#[test]
fn text_that_is_put_into_text_is_cut() {
    for line in [
        |next: usize, at: usize| format!("let b{next} = format!(\"{{}}/{{}}\", b{at}, b{at});"),
        |next: usize, at: usize| format!("let b{next} = format!(\"{{b{at}}}/{{b{at}}}\");"),
        |next: usize, at: usize| format!("let b{next} = b{at} + b{at};"),
    ] {
        let lines = doubled(line);
        program(&format!(
            r#"
            pub async fn page(http: &reqwest::Client) {{
                let b0 = "https://api.example.com/".to_string();
                {lines}
                let _ = http.post(b64).send().await;
            }}"#
        ))
        .is_unguarded();
    }
}

#[test]
fn tuples_in_tuples_are_cut() {
    let lines = doubled(|next, at| format!("let b{next} = (b{at}.clone(), b{at}.clone());"));
    program(&format!(
        r#"
        pub async fn page(http: &reqwest::Client) {{
            let b0 = (http.clone(), 1);
            {lines}
            let _ = http.post("https://api.example.com/send").body(b64.0).send().await;
        }}"#
    ))
    .is_unguarded();
}

#[test]
fn newtypes_that_deref_to_each_other_or_themselves_lead_nowhere() {
    let found = program(
        r#"
        struct A;
        struct B;
        struct C;
        impl std::ops::Deref for A { type Target = B; fn deref(&self) -> &B { loop {} } }
        impl std::ops::Deref for B { type Target = A; fn deref(&self) -> &A { loop {} } }
        impl std::ops::Deref for C { type Target = C; fn deref(&self) -> &C { self } }
        pub async fn page(a: A, c: C) {
            a.http.send().await;
            c.http.inner.send().await;
            c.get("u").send().await;
        }"#,
    );
    assert!(found.judged.sites.iter().all(|site| site.verdict != Verdict::Guarded), "{:#?}", found.judged.sites);
}

#[test]
fn a_field_behind_newtypes_is_found() {
    program(
        r#"
        struct Inner { http: reqwest::Client }
        struct One(Inner);
        struct Two(One);
        impl std::ops::Deref for One { type Target = Inner; fn deref(&self) -> &Inner { &self.0 } }
        impl std::ops::Deref for Two { type Target = One; fn deref(&self) -> &One { &self.0 } }
        pub async fn page(two: &Two) {
            let _ = two.http.post("https://api.example.com/send").send().await;
        }"#,
    )
    .is_unguarded();
}

/// What is not followed to its end is named: nobody takes silence for a verdict.
#[test]
fn a_function_with_more_ways_than_are_followed_is_named() {
    let page = |sends: usize| {
        let sends = "if http.post(url).send().await.is_err() { continue }\n".repeat(sends);
        let text =
            format!("pub async fn page(http: &reqwest::Client, url: &str) {{ loop {{ {sends} tell().await; }} }}\n");
        program(&text).judged.outcome.unfollowed
    };
    assert_eq!(page(3), [""; 0]);
    assert_eq!(page(400), ["acme::page"]);
}
