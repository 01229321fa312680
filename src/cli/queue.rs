//! `queue`: what waits for a person, and what they decide.

use clap::{Subcommand, ValueEnum};

use crate::catalog::provider::{self, Provider};
use crate::cli::live::{self, Format};
use crate::cli::{Exit, Page};
use crate::diagnostic::{Fault, Faults};
use crate::escape::shown;
use crate::live::Ledger;
use crate::live::queue::{Class, Decision, Entry, Filter, Resolution};
use crate::manifest::Manifest;
use crate::report::queue;

/// What `queue` takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: QueueCommand,
}

/// What can be done with the queue.
#[derive(Debug, Subcommand)]
enum QueueCommand {
    /// List what waits, the longest first
    List(ListArgs),
    /// Show one that waits, and how to look it up at its provider
    Show(ShowArgs),
    /// Write down what you found out about one
    Resolve(ResolveArgs),
}

/// What `queue list` takes.
#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    place: live::Place,
    /// Only these classes
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CLASS,..")]
    class: Vec<ClassName>,
    /// Only these action types and sources
    #[arg(long = "type", value_delimiter = ',', value_name = "TYPE,..")]
    types: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// How many at most; it says how many more there are
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// One action, or one event that came in.
#[derive(Debug, clap::Args)]
struct Named {
    /// The action type; for an inbound event its source
    #[arg(value_name = "TYPE")]
    action_type: String,
    /// The key; for an inbound event its id
    #[arg(allow_hyphen_values = true)]
    key: String,
}

/// What `queue show` takes.
#[derive(Debug, clap::Args)]
struct ShowArgs {
    #[command(flatten)]
    place: live::Place,
    #[command(flatten)]
    named: Named,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What `queue resolve` takes.
#[derive(Debug, clap::Args)]
struct ResolveArgs {
    #[command(flatten)]
    place: live::Place,
    #[command(flatten)]
    named: Named,
    /// The attempt that you looked at, as `queue show` has it; not for inbound events
    #[arg(long, value_name = "N",
        required_if_eq_any = [("decision", "sent"), ("decision", "not_sent"), ("decision", "abandon")])]
    attempt: Option<i32>,
    /// What you found out
    #[arg(long, value_enum)]
    decision: DecisionName,
    /// What shows it: kept with the decision
    #[arg(long, value_name = "TEXT")]
    evidence: String,
    /// Who you are: kept with the decision
    #[arg(long, value_name = "NAME")]
    actor: String,
    /// The provider's id of the message, when it was sent
    #[arg(long, value_name = "ID")]
    message_id: Option<String>,
}

/// The names of [`Class`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClassName {
    /// Nobody knows whether it was sent
    Unknown,
    /// The provider refused it for good
    Rejected,
    /// It was not attempted, and no attempt is left
    Exhausted,
    /// An event that was claimed and not finished
    Inbound,
}

impl From<ClassName> for Class {
    fn from(name: ClassName) -> Class {
        match name {
            ClassName::Unknown => Class::Unknown,
            ClassName::Rejected => Class::Rejected,
            ClassName::Exhausted => Class::Exhausted,
            ClassName::Inbound => Class::Inbound,
        }
    }
}

/// The names of [`Decision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DecisionName {
    /// The provider has it
    Sent,
    /// It certainly never reached the provider: it may go as a new attempt
    #[value(name = "not_sent", alias = "not-sent")]
    NotSent,
    /// Give it up: it is final and never sent
    Abandon,
    /// Inbound: the event has had its effect
    Processed,
    /// Inbound: the event has had no effect and may be claimed anew
    Release,
}

impl From<DecisionName> for Decision {
    fn from(name: DecisionName) -> Decision {
        match name {
            DecisionName::Sent => Decision::Sent,
            DecisionName::NotSent => Decision::NotSent,
            DecisionName::Abandon => Decision::Abandon,
            DecisionName::Processed => Decision::Processed,
            DecisionName::Release => Decision::Release,
        }
    }
}

pub(super) fn run(args: &Args, page: &mut Page<'_>) -> Result<Exit, Faults> {
    match &args.command {
        QueueCommand::List(args) => list(args, page),
        QueueCommand::Show(args) => show(args, page),
        QueueCommand::Resolve(args) => resolve(args, page),
    }
}

fn list(args: &ListArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let manifest = live::manifest(page)?;
    let mut ledger = args.place.connect(manifest.as_ref(), page)?;
    let classes: Vec<Class> = args.class.iter().copied().map(Class::from).collect();
    let filter = Filter { classes: &classes, types: &args.types, key: None };
    let listing = ledger.queue(&filter, args.limit)?;
    strangers(&args.types, manifest.as_ref(), &mut ledger)?;
    page.print(&match args.format {
        Format::Text if listing.total == 0 => {
            let all = ledger.queue(&Filter::default(), 0)?.total;
            queue::nothing(&filter, all)
        }
        Format::Text => queue::table(&listing),
        Format::Json => queue::document(&listing),
    });
    Ok(Exit::Clean)
}

/// Who mistypes a name would else believe that nothing waits. One that the manifest lacks may be of a type that was
/// retired, of which something waits still.
fn strangers(types: &[String], manifest: Option<&Manifest>, ledger: &mut Ledger) -> Result<(), Faults> {
    let Some(manifest) = manifest else { return Ok(()) };
    let mut faults = Vec::new();
    for name in types.iter().filter(|name| !live::is_named(manifest, name)) {
        let of_it = Filter { types: std::slice::from_ref(name), ..Filter::default() };
        if ledger.queue(&of_it, 0)?.total == 0 {
            let help = match live::meant(Some(manifest), name) {
                Some(near) => format!("did you mean {near}?"),
                None => "types and sources are named as in the manifest".to_owned(),
            };
            let (name, file) = (shown(name), manifest.source.name());
            let message = format!("nothing of {name} waits, and {file} has no action type or source {name}");
            faults.push(Fault::new(message).with_help(help));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn show(args: &ShowArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let manifest = live::manifest(page)?;
    let mut ledger = args.place.connect(manifest.as_ref(), page)?;
    let types = [args.named.action_type.clone()];
    let listing = ledger.queue(&Filter { classes: &[], types: &types, key: Some(&args.named.key) }, u32::MAX)?;
    if listing.entries.is_empty() {
        let (action_type, key) = (shown(&args.named.action_type), shown(&args.named.key));
        let help = match live::meant(manifest.as_ref(), &args.named.action_type) {
            Some(near) => format!("did you mean {near}? The manifest has no {action_type}"),
            None => {
                "it is settled, a worker holds it, or it was never reserved; `onlyonce queue list` shows what waits"
                    .to_owned()
            }
        };
        return Err(Fault::new(format!("{action_type} {key} does not wait for a person")).with_help(help).into());
    }
    let details = |entry: &Entry| queue::details(entry, provider_of(entry, manifest.as_ref()));
    page.print(&match args.format {
        Format::Text => listing.entries.iter().map(details).collect::<Vec<_>>().join("\n"),
        Format::Json => queue::document(&listing),
    });
    Ok(Exit::Clean)
}

/// The provider that the manifest names for its type; events are looked up in one's own system.
fn provider_of(entry: &Entry, manifest: Option<&Manifest>) -> Option<&'static Provider> {
    let action = manifest?.actions.get(&entry.action_type).filter(|_| entry.class != Class::Inbound.name())?;
    provider::find(action.provider.as_deref()?)
}

fn resolve(args: &ResolveArgs, page: &mut Page<'_>) -> Result<Exit, Faults> {
    let decision = Decision::from(args.decision);
    check(args, decision)?;
    let manifest = live::manifest(page)?;
    let mut ledger = args.place.connect(manifest.as_ref(), page)?;
    let types = [args.named.action_type.clone()];
    let before = ledger.queue(&Filter { classes: &[], types: &types, key: Some(&args.named.key) }, u32::MAX)?;
    if let Some(fault) = of_the_other_sort(&args.named, decision, &before.entries, manifest.as_ref()) {
        return Err(fault.into());
    }
    if decision == Decision::Release && !before.entries.iter().any(|entry| entry.class == Class::Inbound.name()) {
        let (source, event) = (shown(&args.named.action_type), shown(&args.named.key));
        return Err(Fault::new(format!(
            "{source} {event} does not wait: it is processed, claimed or was never accepted"
        ))
        .with_help("a claim that runs out is in `onlyonce queue list`; released before, it would be worked on twice")
        .into());
    }
    let resolution = Resolution {
        action_type: &args.named.action_type,
        key: &args.named.key,
        attempt: args.attempt.unwrap_or_default(),
        decision,
        evidence: &args.evidence,
        actor: &args.actor,
        message_id: args.message_id.as_deref(),
    };
    let answer = ledger.resolve(&resolution)?;
    let mut actions = before.entries.iter().filter(|entry| entry.class != Class::Inbound.name());
    page.print(&queue::resolved(&resolution, &answer, actions.find_map(|entry| entry.key_window_left)));
    Ok(Exit::Clean)
}

/// An action is not released, and an event is not sent.
fn of_the_other_sort(
    named: &Named,
    decision: Decision,
    waiting: &[Entry],
    manifest: Option<&Manifest>,
) -> Option<Fault> {
    let name = &named.action_type;
    let has = |manifest: &Manifest| manifest.actions.contains_key(name) && !manifest.inbound.contains_key(name);
    let is_event = |entry: &Entry| entry.class == Class::Inbound.name();
    let (events, actions) = (waiting.iter().any(is_event), waiting.iter().any(|entry| !is_event(entry)));
    let (sort, other) = match decision.is_inbound() {
        true if !events && (actions || manifest.is_some_and(has)) => ("events", "an action"),
        false if events && !actions => ("actions", "an event"),
        true | false => return None,
    };
    let fits = waiting.first().map_or("--decision sent|not_sent|abandon".to_owned(), queue::decisions);
    let (name, key) = (shown(name), shown(&named.key));
    let message = format!("{} is for {sort}, and {name} {key} is {other}", decision.name());
    Some(Fault::new(message).with_help(format!("what fits it: {fits}")))
}

/// What belongs to the other sort of decision is not silently left aside.
fn check(args: &ResolveArgs, decision: Decision) -> Result<(), Fault> {
    if decision.is_inbound() && args.attempt.is_some() {
        return Err(Fault::new(format!("{} is decided of an event, and an event has no --attempt", decision.name()))
            .with_help("leave --attempt out; of an action decide sent, not_sent or abandon"));
    }
    if decision != Decision::Sent && args.message_id.is_some() {
        return Err(Fault::new(format!("{} has no --message-id", decision.name()))
            .with_help("what has a message id at the provider was sent: --decision sent"));
    }
    Ok(())
}
