//! The same code written otherwise has the same outbound calls: every hard case of `scanner/cases` and `kinds` is
//! rewritten in every way that fits it, and its calls must keep their effects and verdicts.

mod metamorphic {
    pub(crate) mod functions;
    pub(crate) mod layout;
    pub(crate) mod names;
    pub(crate) mod text;
    pub(crate) mod types;
    pub(crate) mod values;
}
#[path = "scanner/package.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod package;

use std::fs;
use std::path::Path;

use metamorphic::layout::Files;
use metamorphic::text::Code;
use metamorphic::{functions, layout, names, types, values};
use onlyonce::catalog::Catalog;
use package::scanned_together;

/// Every case by name, and every kind that was found by reading.
fn cases() -> Vec<(String, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["scanner/cases", "kinds"].map(|folder| fs::read_dir(tests.join(folder)).unwrap());
    let mut paths: Vec<_> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// What is said of the outbound calls of each program, wherever they stand: what is called, its effect and verdict.
fn said(programs: &[&Files]) -> Vec<Vec<String>> {
    // On a thread of its own: reading a file ends the spans of all that its thread has parsed.
    std::thread::scope(|scope| scope.spawn(|| said_here(programs)).join().unwrap())
}

fn said_here(programs: &[&Files]) -> Vec<Vec<String>> {
    let folders: Vec<String> = (0..programs.len()).map(|at| format!("{at}/")).collect();
    let programs: Vec<(&str, &[(&str, String)])> =
        folders.iter().map(String::as_str).zip(programs.iter().map(|files| files.as_slice())).collect();
    let scan = scanned_together(&programs);
    let judged = scan.judge(Catalog::embedded(), None, jiff::civil::date(2026, 1, 1));
    let mut said = vec![Vec::new(); programs.len()];
    for site in &judged.sites {
        let name = scan.index.files[site.sink.file].source.name();
        let program: usize = name.split('/').next().unwrap().parse().unwrap();
        // What moves to another module is called by a longer path.
        let api = site.sink.api.replace("case::inner::", "case::").replace("case::a::b::", "case::");
        said[program].push(format!("{api} {:?} {:?}", site.sink.effect, site.verdict));
    }
    said.iter_mut().for_each(|said| said.sort());
    said
}

/// Each rewrite of one kind: its name, and the files where it fits.
type Rewrites = Vec<(&'static str, Option<Files>)>;

fn one(text: Option<String>) -> Option<Files> {
    Some(vec![("src/main.rs", text?)])
}

/// Pairs that are not yet told alike: a case, and the rewrites; none named is all of them. One that is leaves the list.
type NotYet = [(&'static str, &'static [&'static str])];

/// A pair that differs.
struct Fault {
    case: String,
    rewrite: &'static str,
    told: String,
}

/// Demands the same of every case, and at least `floor` pairs of a case and a rewrite of it.
fn keeps(floor: usize, not_yet: &NotYet, rewrites: fn(&Code) -> Rewrites) {
    let checked = cases().into_iter().map(|(case, text)| differences(&case, &text, rewrites));
    let (counts, faults): (Vec<usize>, Vec<Vec<Fault>>) = checked.unzip();
    let count = counts.iter().sum::<usize>();
    let listed = |fault: &Fault, (case, forms): &(&str, &[&str])| {
        fault.case == *case && (forms.is_empty() || forms.contains(&fault.rewrite))
    };
    let faults: Vec<Fault> = faults.into_iter().flatten().collect();
    for listing in not_yet {
        assert!(faults.iter().any(|fault| listed(fault, listing)), "{} is told alike: take it out", listing.0);
    }
    let new = faults.iter().filter(|fault| !not_yet.iter().any(|listing| listed(fault, listing)));
    let told: Vec<&str> = new.map(|fault| fault.told.as_str()).collect();
    assert!(told.is_empty(), "{} of {count} pairs differ\n{}", told.len(), told.join("\n"));
    assert!(count >= floor, "only {count} pairs: the rewrites fit less than they did");
}

/// How many rewrites fit a case, and what they change.
fn differences(case: &str, text: &str, rewrites: fn(&Code) -> Rewrites) -> (usize, Vec<Fault>) {
    let original = one(Some(text.to_owned())).unwrap();
    let fit = rewrites(&Code::new(text)).into_iter().filter_map(|(name, files)| Some((name, beside(text, files?))));
    let fit: Vec<(&str, Files)> = fit.collect();
    let programs: Vec<&Files> = std::iter::once(&original).chain(fit.iter().map(|(_, files)| files)).collect();
    let said = said(&programs);
    let differ = fit.iter().zip(&said[1..]).filter(|(_, after)| **after != said[0]);
    let fault = |((rewrite, files), after): (&(&'static str, Files), &Vec<String>)| Fault {
        case: case.to_owned(),
        rewrite,
        told: format!("{case}, {rewrite}:\n  was {:?}\n  is  {after:?}\n{}", said[0], shown(files)),
    };
    (fit.len(), differ.map(fault).collect())
}

/// With the documents that stand beside the case, which its comments tell of.
fn beside(text: &str, mut files: Files) -> Files {
    let documents = text.lines().filter(|line| line.starts_with("// document "));
    for line in documents.filter(|line| !files[0].1.contains(*line)).collect::<Vec<_>>() {
        files[0].1.push_str(&format!("\n{line}"));
    }
    files
}

fn shown(files: &Files) -> String {
    files.iter().map(|(name, text)| format!("--- {name}\n{text}\n")).collect()
}

#[test]
fn a_value_written_otherwise() {
    // The setters of a stateful handle are looked for under the names that its `let`s give it.
    // Whether what a call answers is taken apart, where nothing is awaited, is looked for right around it.
    let not_yet: &NotYet = &[("clients-that-wait", &[]), ("handle-from-elsewhere", &[])];
    keeps(6000, not_yet, |code| {
        let forms = values::FORMS.iter().chain(&values::PLAIN);
        forms.map(|form| (form.name, one(values::written(code, form)))).collect()
    });
}

#[test]
fn a_function_written_otherwise() {
    // What names around a request tell of it these rewrites take away: they give its function another type and module.
    // What is called from a table of functions is not known to be given what its callers write out.
    let not_yet: &NotYet = &[
        ("chat-that-is-kept", &["body in a trait's only implementation, generic"]),
        (
            "crate-says-what-the-whole-is-for",
            &["body in a trait's only implementation, generic", "body in an inner module"],
        ),
        ("clients-that-wait", &[]),
        ("credentials-by-login", &["body through two helpers"]),
        (
            "fragments-of-queries",
            &["body in a trait's only implementation, generic", "body in an inner module", "body through two helpers"],
        ),
        ("gets-that-act", &["body in a trait's only implementation, generic"]),
        ("model-by-name", &[]),
        ("newtypes-that-hand-on", &["body in a method of its own"]),
        ("payments-by-name", &["body in a trait's only implementation, generic"]),
        (
            "posts-by-what-they-are-for",
            &[
                "body behind a table of functions",
                "body in a trait's only implementation, generic",
                "body in an inner module",
                "body through two helpers",
            ],
        ),
        ("programs-by-helper", &["body behind a table of functions"]),
        ("request-by-its-module", &[]),
        ("url-names-its-method", &["body behind a table of functions"]),
    ];
    keeps(1800, not_yet, |code| {
        functions::REWRITES.iter().map(|(name, rewrite)| (*name, one(functions::rewritten(code, *rewrite)))).collect()
    });
}

#[test]
fn a_name_written_otherwise() {
    // What a framework that nobody listed gives a closure is told by its name there.
    let not_yet: &NotYet = &[("handed-by-a-framework", &["variables renamed"])];
    keeps(1200, not_yet, |code| {
        let aliases = names::ALIASES.iter().map(|(name, rewrite)| (*name, one(rewrite(code))));
        let renamed = [
            ("variables renamed", one(names::renamed(code, |name| format!("{name}_too")))),
            ("variables in raw names", one(names::renamed(code, |name| format!("r#{name}")))),
        ];
        aliases.chain(renamed).collect()
    });
}

#[test]
fn a_parameter_given_otherwise() {
    keeps(1200, &[], |code| types::FORMS.iter().map(|form| (form.name, one(types::written(code, form)))).collect());
}

#[test]
fn a_place_that_is_another() {
    keeps(1200, &[], |code| layout::REWRITES.iter().map(|(name, rewrite)| (*name, rewrite(code))).collect());
}
