//! Rules over the sites of a scan: what is said of them, and which exceptions a person has allowed.
//!
//! To add a rule: a file here with its `RULE` and the function that runs it, its page in `lints/rules/`, and a
//! line in [`ALL`].

pub mod allows;
mod attempt_derived_key;
mod expired_allow;
mod form;
mod ignored_verdict;
mod model_before_dedupe;
mod model_derived_key;
mod reasonless_allow;
mod reserve_in_transaction;
mod retried_send;
mod settling;
mod shared_key;
mod stored_payload_ignored;
mod timeout_as_failure;
mod undeclared_action;
mod undecided_send;
mod undocumented_key;
mod unguarded_model_call;
mod unguarded_send;
mod unread_file;
mod unrecorded_send;
mod unreserved_send;
mod unused_action;
mod unused_allow;
mod words;

use std::cell::RefCell;

use rustc_hash::FxHashMap as HashMap;

use crate::catalog::call::Effect;
use crate::diagnostic::{Finding, Label};
use crate::manifest::Manifest;
use crate::rule::Rule;
use crate::scan::flow::Flow;
use crate::scan::guards::attempt::Fresh;
use crate::scan::guards::key::Key;
use crate::scan::guards::uses::KeyUse;
use crate::scan::guards::{Act, Guards};
use crate::scan::index::FnId;
use crate::scan::ir::{Body, ExprId};
use crate::scan::rules::allows::{Allows, Exception};
use crate::scan::sinks::uses::chain_span;
use crate::scan::site::{Site, Verdict};
use crate::scan::types::value::Scope;

/// Every rule over code, sorted by name.
pub static ALL: [Entry; 21] = [
    Entry { rule: &attempt_derived_key::RULE, run: Run::Code(attempt_derived_key::run) },
    Entry { rule: &expired_allow::RULE, run: Run::Allows(expired_allow::run) },
    Entry { rule: &ignored_verdict::RULE, run: Run::Code(ignored_verdict::run) },
    Entry { rule: &model_before_dedupe::RULE, run: Run::Code(model_before_dedupe::run) },
    Entry { rule: &model_derived_key::RULE, run: Run::Code(model_derived_key::run) },
    Entry { rule: &reasonless_allow::RULE, run: Run::Allows(reasonless_allow::run) },
    Entry { rule: &reserve_in_transaction::RULE, run: Run::Code(reserve_in_transaction::run) },
    Entry { rule: &retried_send::RULE, run: Run::Code(retried_send::run) },
    Entry { rule: &shared_key::RULE, run: Run::Code(shared_key::run) },
    Entry { rule: &stored_payload_ignored::RULE, run: Run::Code(stored_payload_ignored::run) },
    Entry { rule: &timeout_as_failure::RULE, run: Run::Code(timeout_as_failure::run) },
    Entry { rule: &undecided_send::RULE, run: Run::Code(undecided_send::run) },
    Entry { rule: &undeclared_action::RULE, run: Run::Code(undeclared_action::run) },
    Entry { rule: &undocumented_key::RULE, run: Run::Code(undocumented_key::run) },
    Entry { rule: &unguarded_model_call::RULE, run: Run::Code(unguarded_model_call::run) },
    Entry { rule: &unguarded_send::RULE, run: Run::Code(unguarded_send::run) },
    Entry { rule: &unread_file::RULE, run: Run::Code(unread_file::run) },
    Entry { rule: &unrecorded_send::RULE, run: Run::Code(unrecorded_send::run) },
    Entry { rule: &unreserved_send::RULE, run: Run::Code(unreserved_send::run) },
    Entry { rule: &unused_action::RULE, run: Run::Code(unused_action::run) },
    Entry { rule: &unused_allow::RULE, run: Run::Allows(unused_allow::run) },
];

/// The names of all, for what may be allowed.
#[must_use]
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|entry| entry.rule.name).collect()
}

/// A rule and what runs it.
#[derive(Debug)]
pub struct Entry {
    /// The rule.
    pub rule: &'static Rule,
    run: Run,
}

#[derive(Debug)]
enum Run {
    /// Looks at code.
    Code(fn(&Context<'_, '_, '_>) -> Vec<Found>),
    /// Looks at what was allowed, once all others have run.
    Allows(fn(&Allows<'_>) -> Vec<Finding>),
}

/// What rules look at.
pub struct Context<'c, 't, 'a> {
    /// Types, names and guards.
    pub guards: &'c Guards<'t, 'a>,
    /// Orders and origins.
    pub flow: Flow<'t, 'a>,
    /// Every outbound call, with its verdict.
    pub sites: &'c [Site],
    /// What those may do that do harm when they happen twice, each with its site.
    pub acts: Vec<(&'c Site, Act)>,
    /// The manifest.
    pub manifest: Option<&'c Manifest>,
    /// Every key, with why it differs from attempt to attempt.
    keys: Vec<Keyed>,
    /// By function: the name of the remote procedure that it writes into a request of JSON-RPC.
    remote: RefCell<HashMap<FnId, Option<ExprId>>>,
}

/// A key where it is used.
struct Keyed {
    used: KeyUse,
    key: Key,
    fresh: Option<Fresh>,
}

/// A finding, and the function that an exception of the manifest would name.
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// Path of the function; empty outside of any.
    pub function: String,
}

impl Found {
    /// With the function in its subject, or the file where there is none.
    fn placed(mut self) -> Found {
        let within = if self.function.is_empty() { self.finding.place.source.name() } else { &self.function };
        self.finding.subject = std::mem::take(&mut self.finding.subject).within(within);
        self
    }
}

/// What the rules say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What is to be told, sorted.
    pub findings: Vec<Finding>,
    /// What would have been told, had a person not allowed it; sorted.
    pub exceptions: Vec<Exception>,
    /// Functions with more ways through them than were followed, by their paths, sorted: what depends on an order of
    /// steps may be missing of them.
    pub unfollowed: Vec<String>,
}

/// Runs every rule and takes off what is allowed; a site whose finding was allowed becomes exempt.
#[must_use]
pub fn run(guards: &Guards<'_, '_>, sites: &mut [Site], today: jiff::civil::Date) -> Outcome {
    let context = Context::new(guards, sites);
    let mut found: Vec<Found> = Vec::new();
    for entry in &ALL {
        if let Run::Code(run) = entry.run {
            found.extend(run(&context).into_iter().map(Found::placed));
        }
    }
    let mut allows = Allows::new(&guards.types.index.files, guards.manifest, today);
    let mut outcome = allows.apply(found);
    for entry in &ALL {
        if let Run::Allows(run) = entry.run {
            outcome.findings.extend(run(&allows).into_iter().map(of_file));
        }
    }
    outcome.unfollowed = context.flow.unfollowed().into_iter().map(|id| context.path_of(id)).collect();
    outcome.unfollowed.sort();
    outcome.findings.sort_by(|a, b| a.order().cmp(&b.order()));
    outcome.exceptions.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    exempt(guards, sites, &outcome.exceptions);
    outcome
}

/// An exception belongs to the file that it is written in.
fn of_file(mut finding: Finding) -> Finding {
    finding.subject = std::mem::take(&mut finding.subject).within(finding.place.source.name());
    finding
}

fn exempt(guards: &Guards<'_, '_>, sites: &mut [Site], exceptions: &[Exception]) {
    for site in sites {
        let source = &guards.types.index.files[site.sink.file].source;
        let open = matches!(site.verdict, Verdict::Unguarded | Verdict::Undecided);
        let allowed = exceptions.iter().any(|exception| {
            exception.finding.place.span == site.sink.span && exception.finding.place.source.name() == source.name()
        });
        if open && allowed {
            site.verdict = Verdict::Exempt;
        }
    }
}

impl<'c, 't, 'a> Context<'c, 't, 'a> {
    fn new(guards: &'c Guards<'t, 'a>, sites: &'c [Site]) -> Context<'c, 't, 'a> {
        let decided = sites.iter().filter(|site| matches!(site.verdict, Verdict::Guarded | Verdict::Unguarded));
        let acts: Vec<(&Site, Act)> =
            decided.flat_map(|site| guards.acts(&site.sink).into_iter().map(move |act| (site, act))).collect();
        let keys = guards.key_uses(acts.iter().map(|(_, act)| act)).into_iter().map(|used| {
            let scope = Scope::Fn(used.function);
            Keyed { used, key: guards.key(scope, used.value), fresh: guards.attempt(scope, used.value) }
        });
        let keys = keys.collect();
        let flow = Flow::new(guards.types, guards.graph);
        Context { guards, flow, sites, acts, manifest: guards.manifest, keys, remote: RefCell::default() }
    }

    /// Acts inside an expression, and calls there of functions that hold one; of the effects that count.
    fn acts_within(&self, id: FnId, body: &Body, holder: ExprId, counts: impl Fn(Effect) -> bool) -> Vec<ExprId> {
        let inside = body.node(holder).span;
        let here = |at: ExprId| inside.contains(body.node(at).span);
        let acts = || self.acts.iter().map(|(_, act)| act).filter(|act| counts(act.effect));
        let direct = acts().filter(|act| act.function == id && here(act.expr)).map(|act| act.expr);
        let below = self.flow.graph.callees(self.guards.types, id).filter(|call| here(call.expr));
        let below = below.filter(|call| acts().any(|act| act.function == call.callee));
        direct.chain(below.map(|call| call.expr)).collect()
    }

    /// What is told of every function, where the generated client is used at all.
    fn where_the_client_is_used(&self, told: fn(&Self, FnId) -> Vec<Found>) -> Vec<Found> {
        if !self.guards.client.is_used() {
            return Vec::new();
        }
        self.guards.functions().flat_map(|id| told(self, id)).collect()
    }

    /// The functions of files in whose text one of these words stands: a quick look before a thorough one.
    fn functions_near(&self, words: &[&str]) -> impl Iterator<Item = FnId> {
        let index = self.guards.types.index;
        let says = |text: &str| words.iter().any(|word| text.contains(word));
        let near: Vec<bool> = index.files.iter().map(|file| says(file.source.text())).collect();
        self.guards.functions().filter(move |id| near.get(index.function(*id).file).copied().unwrap_or_default())
    }

    /// A label at a whole outbound call.
    fn at_site(&self, site: &Site, text: impl Into<String>) -> Label {
        Label::new(&self.guards.types.index.files[site.sink.file].source, site.sink.span, text)
    }

    /// A label where an act is decided, the awaited part included.
    fn at_act(&self, site: &Site, act: &Act, text: impl Into<String>) -> Label {
        let entry = self.guards.types.index.function(act.function);
        match &entry.function.body {
            Some(body) if (act.function, act.expr) != (site.sink.function, site.sink.expr) => {
                let source = &self.guards.types.index.files[entry.file].source;
                Label::new(source, chain_span(body, act.expr), text)
            }
            _ => self.at_site(site, text),
        }
    }

    /// A label at an expression.
    fn at_expr(&self, function: FnId, expr: ExprId, text: impl Into<String>) -> Option<Label> {
        let entry = self.guards.types.index.functions.get(function.0 as usize)?;
        let source = &self.guards.types.index.files.get(entry.file)?.source;
        let body = entry.function.body.as_ref()?;
        Some(Label::new(source, body.node(expr).span, text))
    }

    /// A label at a function's name.
    fn at_function(&self, id: FnId, text: impl Into<String>) -> Label {
        let entry = &self.guards.types.index.functions[id.0 as usize];
        Label::new(&self.guards.types.index.files[entry.file].source, entry.name_span, text)
    }

    fn path_of(&self, id: FnId) -> String {
        self.guards.types.index.functions[id.0 as usize].path.clone()
    }
}
