//! Holds `lints/crates` against the published source of the crates.

#[path = "catalog/api.rs"]
mod api;
#[path = "catalog/check.rs"]
mod check;
#[path = "catalog/published.rs"]
mod published;
#[path = "catalog/resolve.rs"]
mod resolve;

use onlyonce::catalog::Catalog;

#[test]
fn explore() {
    let Some(wanted) = std::env::var_os("ONLYONCE_CATALOG") else { return };
    let wanted = wanted.to_str().unwrap().to_owned();
    for krate in &Catalog::embedded().crates {
        if wanted != "all" && !wanted.split(',').any(|name| name == krate.package) {
            continue;
        }
        if krate.unpublished.is_some() {
            continue;
        }
        let start = std::time::Instant::now();
        let outcome = check::check(krate);
        println!("== {} {} {:?} ({:?})", krate.package, krate.version, outcome.packages.keys(), start.elapsed());
        for problem in outcome.problems {
            println!("   {problem}");
        }
        for (path, method, arity) in outcome.arities {
            println!("ARITY\t{}\t{path}\t{method}\t{arity}", krate.package);
        }
    }
}
