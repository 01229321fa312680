//! `sites`: every outbound call, with its verdict.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;

use crate::catalog::call::Effect;
use crate::cli::{Exit, Page, progress};
use crate::diagnostic::Faults;
use crate::report::human::plural;
use crate::scan::examine::Examined;
use crate::scan::site::{Guard, Resolution, Site, Verdict};
use crate::scan::{Coverage, Settings};
use crate::source::Position;

/// What `sites` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder to scan
    #[arg(default_value = ".")]
    path: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Look at every file again, and keep nothing
    #[arg(long)]
    no_cache: bool,
}

/// How the inventory is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Human,
    /// For tools
    Json,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let root = page.path(&args.path);
    let manifest = page.manifest_for(&root)?;
    let settings = manifest.as_ref().map(Settings::of).unwrap_or_default();
    let settings = page.cached(&settings, args.no_cache);
    let found = progress::examine(page, &root, &settings, manifest.as_ref())?;
    match args.format {
        Format::Json => page.print(&json(&found)),
        Format::Human => page.print(&table(&found)),
    }
    Ok(Exit::Clean)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    sites: Vec<Line<'a>>,
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    start: Position,
    end: Position,
    function: &'a str,
    api: &'a str,
    effect: Effect,
    verdict: Verdict,
    guard: Option<&'a Guard>,
    resolution: Resolution,
    why: Option<&'a str>,
    callers: &'a [Vec<String>],
    reason: &'a str,
    http_method: Option<&'a str>,
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct Summary<'a> {
    sites: usize,
    verdicts: BTreeMap<Verdict, usize>,
    effects: BTreeMap<Effect, usize>,
    coverage: &'a Coverage,
}

fn json(found: &Examined) -> String {
    let sites = &found.judged.sites;
    let lines = sites.iter().map(|site| line(found, site)).collect();
    let mut summary =
        Summary { sites: sites.len(), verdicts: BTreeMap::new(), effects: BTreeMap::new(), coverage: &found.coverage };
    for site in sites {
        *summary.verdicts.entry(site.verdict).or_default() += 1;
        *summary.effects.entry(site.sink.effect).or_default() += 1;
    }
    let document = Document { version: 1, sites: lines, summary };
    // Every key is a text and every value is plain: it always serialises.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn line<'a>(found: &'a Examined, site: &'a Site) -> Line<'a> {
    let source = &found.files[site.sink.file];
    Line {
        file: source.name(),
        start: source.position(site.sink.span.start),
        end: source.position(site.sink.span.end),
        function: &site.function,
        api: &site.sink.api,
        effect: site.sink.effect,
        verdict: site.verdict,
        guard: site.guard.as_ref(),
        resolution: site.sink.resolution,
        why: site.why.as_deref(),
        callers: &site.callers,
        reason: &site.sink.reason,
        http_method: site.sink.http_method.as_deref(),
        url: site.sink.url.as_deref(),
    }
}

/// One line a call, grouped by file; then the numbers.
fn table(found: &Examined) -> String {
    let sites = &found.judged.sites;
    let mut out = String::new();
    let mut file = "";
    for site in sites {
        let line = line(found, site);
        if line.file != file {
            file = line.file;
            out.push_str(&format!("{}{file}\n", if out.is_empty() { "" } else { "\n" }));
        }
        let place = format!("{}:{}", line.start.line, line.start.column);
        let (effect, verdict) = (word(&line.effect), word(&line.verdict));
        out.push_str(&format!("  {place:>9}  {effect:<9} {verdict:<9}  {}  in {}\n", line.api, line.function));
        let method = line.http_method.map(|method| format!("{method} ")).unwrap_or_default();
        let said = format!("{method}{}", line.url.unwrap_or_default());
        let why = line.why.unwrap_or(line.reason);
        out.push_str(&format!(
            "{:32}{}{}{why}\n",
            "",
            said.trim_end(),
            if said.trim_end().is_empty() { "" } else { ": " }
        ));
    }
    let coverage = &found.coverage;
    out.push_str(&format!("\n{} in {}\n", plural(sites.len(), "outbound call"), plural(coverage.files_parsed, "file")));
    for gap in gaps(coverage) {
        out.push_str(&format!("{gap}\n"));
    }
    out
}

/// What was not read or could not be told, a line each.
pub(super) fn gaps(coverage: &Coverage) -> Vec<String> {
    let counted = [
        (coverage.files_unread.len(), "file", "not read"),
        (coverage.left_out.tests, "test file", "left out"),
        (coverage.left_out.benches, "benchmark file", "left out"),
        (coverage.left_out.examples, "example file", "left out"),
        (coverage.left_out.build_scripts, "build script", "left out"),
        (coverage.left_out.excluded, "file or folder", "excluded by the manifest"),
        (coverage.left_out.hidden, "file", "left out in hidden folders"),
        (coverage.made_includes, "include", "of what a build script makes"),
        (coverage.macros_as_tokens, "macro call", "searched as tokens"),
        (coverage.unimplemented_calls, "call", "of a trait without a known implementation"),
        (coverage.functions_unfollowed.len(), "function", "with more ways than were followed"),
        (coverage.calls.unresolved_calls, "call", "named like a send, on something that is not known"),
        (coverage.calls.runtime_methods, "request", "with a method from run time"),
        (coverage.calls.runtime_programs, "program or shell text", "told at run time"),
    ];
    let met = counted.into_iter().filter(|(count, ..)| *count > 0);
    let lines = met.map(|(count, noun, what)| format!("{} {what}", plural(count, noun)));
    let looked_at = plural(coverage.calls_looked_at, "call");
    let known = format!(
        "{:.1} % of {looked_at} that may lead there, by the name of a function on the way, have a known target",
        coverage.calls_known * 100.0
    );
    lines.chain((coverage.calls_looked_at > 0).then_some(known)).collect()
}

fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
