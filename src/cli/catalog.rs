//! `catalog`: the outbound calls and providers that are known, with their sources.

use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use crate::catalog::call::{Call, CrateCalls, Effect};
use crate::catalog::provider::{self, Provider};
use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};
use crate::duration;
use crate::manifest::nearest;
use crate::report::human::plural;
use crate::report::json;
use crate::scan::Settings;

/// What `catalog` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A crate or a provider; without it all of them are listed
    name: Option<String>,
    /// List the outbound calls of this effect, a line each
    #[arg(long, value_enum)]
    effect: Option<Effect>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// How the catalog is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// For tools
    Json,
}

/// What is printed: all that is known, or what has the name that was asked for.
#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    crates: Vec<CrateCalls>,
    providers: Vec<&'a Provider>,
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let wanted = |name: &str| args.name.as_deref().is_none_or(|asked| asked == name);
    let manifest = page.manifest_for(&page.path(Path::new(".")))?;
    let known = manifest.as_ref().map(Settings::of).unwrap_or_default().catalog().into_owned();
    let providers = provider::all().iter().filter(|provider| args.effect.is_none() && wanted(&provider.name));
    let asked = args.name.as_deref().unwrap_or_default();
    let names = known.crates.iter().map(|entry| entry.package.as_str());
    let names = names.chain(provider::all().iter().map(|provider| provider.name.as_str()));
    let near = nearest(asked, names).map(str::to_owned);
    let mut document = Document {
        version: 1,
        crates: known.crates.into_iter().filter(|entry| wanted(&entry.package)).collect(),
        providers: providers.collect(),
    };
    let named = document.crates.len();
    if let Some(effect) = args.effect {
        document.crates.iter_mut().for_each(|entry| entry.call.retain(|call| call.effect == effect));
        document.crates.retain(|entry| !entry.call.is_empty());
    }
    if named == 0 && document.crates.is_empty() && document.providers.is_empty() {
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(Fault::new(format!("`{asked}` is neither a crate nor a provider of the catalog"))
            .with_help(format!("{near}run `onlyonce catalog` for the list"))
            .into());
    }
    match (args.format, &args.name) {
        (Format::Json, _) => page.print(&json::pretty(&document)),
        (Format::Human, _) if args.effect.is_some() => page.print(&calls(&document)),
        (Format::Human, None) => page.print(&list(&document)),
        (Format::Human, Some(_)) => page.print(&details(&document)),
    }
    Ok(Exit::Clean)
}

/// Outbound calls in columns, each with its source.
fn calls(document: &Document<'_>) -> String {
    let all = document.crates.iter().flat_map(|entry| &entry.call);
    let lines: Vec<(String, &Call)> = all.map(|call| (format!("{}::{}", call.path, call.method), call)).collect();
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, call) in &lines {
        let _ = writeln!(text, "{:9}  {name:width$}  {}", call.effect.name(), call.source);
    }
    let _ = writeln!(text, "{} of {}", plural(lines.len(), "call"), plural(document.crates.len(), "crate"));
    text
}

/// A line each.
fn list(document: &Document<'_>) -> String {
    let mut text = String::new();
    for entry in &document.crates {
        let retry = if entry.built_in_retry.is_some() { ", sends again by itself" } else { "" };
        let _ = writeln!(
            text,
            "{:28} crate {:12} {}{retry}",
            entry.package,
            entry.version,
            plural(entry.call.len(), "call")
        );
    }
    for provider in &document.providers {
        let _ = writeln!(text, "{:28} provider           {}", provider.name, provider.title);
    }
    let _ = writeln!(
        text,
        "{}, {}; `onlyonce catalog NAME` shows one with its sources",
        plural(document.crates.len(), "crate"),
        plural(document.providers.len(), "provider")
    );
    text
}

/// Everything about the few that were asked for.
fn details(document: &Document<'_>) -> String {
    let crates = document.crates.iter().map(crate_details);
    crates.chain(document.providers.iter().map(|provider| provider_details(provider))).collect()
}

fn crate_details(entry: &CrateCalls) -> String {
    let mut text = format!("{} {}\n", entry.package, entry.version);
    if let Some(retry) = &entry.built_in_retry {
        let _ = writeln!(text, "  sends again by itself: {retry}");
    }
    for call in &entry.call {
        text.push_str(&call_details(call));
    }
    text
}

fn call_details(call: &Call) -> String {
    let mut text = format!("  {:9} {}::{}\n", call.effect.name(), call.path, call.method);
    for (what, said) in [("key", &call.key_door), ("note", &call.note)] {
        if let Some(said) = said {
            let _ = writeln!(text, "            {what}: {said}");
        }
    }
    let _ = writeln!(text, "            source: {}", call.source);
    text
}

fn provider_details(provider: &Provider) -> String {
    let mut text = format!("{}: {}\n", provider.name, provider.title);
    if let Some(outbound) = &provider.outbound {
        let _ = writeln!(text, "  out  key: {}", outbound.native_key.as_deref().unwrap_or("none"));
        let _ = writeln!(text, "       look up: {}", outbound.reconcile);
        text.push_str(&sources(outbound.confidence, &outbound.source));
    }
    if let Some(inbound) = &provider.inbound {
        let _ = writeln!(text, "  in   event id: {}", inbound.event_id);
        if let Some(redelivery) = inbound.longest_redelivery() {
            let _ =
                writeln!(text, "       redelivers for: {} ({})", duration::format(redelivery.window), redelivery.field);
        }
        text.push_str(&sources(inbound.confidence, &inbound.source));
    }
    text
}

fn sources(confidence: provider::Confidence, sources: &[String]) -> String {
    let addresses = sources.iter().map(|address| format!("         {address}\n"));
    std::iter::once(format!("       {}\n", confidence.name())).chain(addresses).collect()
}
