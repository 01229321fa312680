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

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
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
use crate::scan::index::{FnId, Index};
use crate::scan::ir::{Body, ExprId, FileSummary};
use crate::scan::rules::allows::{Allows, Exception};
use crate::scan::sinks::uses::chain_span;
use crate::scan::site::{Site, Verdict};
use crate::scan::types::value::Scope;

/// Every rule over code, sorted by name.
pub static ALL: [Entry; 21] = [
    Entry { rule: &attempt_derived_key::RULE, run: Run::Code(Strand::Keys, attempt_derived_key::run) },
    Entry { rule: &expired_allow::RULE, run: Run::Allows(expired_allow::run) },
    Entry { rule: &ignored_verdict::RULE, run: Run::Code(Strand::Order, ignored_verdict::run) },
    Entry { rule: &model_before_dedupe::RULE, run: Run::Code(Strand::Order, model_before_dedupe::run) },
    Entry { rule: &model_derived_key::RULE, run: Run::Code(Strand::Keys, model_derived_key::run) },
    Entry { rule: &reasonless_allow::RULE, run: Run::Allows(reasonless_allow::run) },
    Entry { rule: &reserve_in_transaction::RULE, run: Run::Code(Strand::Order, reserve_in_transaction::run) },
    Entry { rule: &retried_send::RULE, run: Run::Code(Strand::Retries, retried_send::run) },
    Entry { rule: &shared_key::RULE, run: Run::Code(Strand::Keys, shared_key::run) },
    Entry { rule: &stored_payload_ignored::RULE, run: Run::Code(Strand::Order, stored_payload_ignored::run) },
    Entry { rule: &timeout_as_failure::RULE, run: Run::Code(Strand::Order, timeout_as_failure::run) },
    Entry { rule: &undecided_send::RULE, run: Run::Code(Strand::Order, undecided_send::run) },
    Entry { rule: &undeclared_action::RULE, run: Run::Code(Strand::Keys, undeclared_action::run) },
    Entry { rule: &undocumented_key::RULE, run: Run::Code(Strand::Keys, undocumented_key::run) },
    Entry { rule: &unguarded_model_call::RULE, run: Run::Code(Strand::Order, unguarded_model_call::run) },
    Entry { rule: &unguarded_send::RULE, run: Run::Code(Strand::Order, unguarded_send::run) },
    Entry { rule: &unread_file::RULE, run: Run::Code(Strand::Order, unread_file::run) },
    Entry { rule: &unrecorded_send::RULE, run: Run::Code(Strand::Order, unrecorded_send::run) },
    Entry { rule: &unreserved_send::RULE, run: Run::Code(Strand::Order, unreserved_send::run) },
    Entry { rule: &unused_action::RULE, run: Run::Code(Strand::Keys, unused_action::run) },
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
    Code(Strand, Check),
    /// Looks at what was allowed, once all others have run.
    Allows(fn(&Allows<'_>) -> Vec<Finding>),
}

/// A rule over code.
type Check = fn(&Context<'_, '_, '_>) -> Vec<Found>;

/// Rules that share what they find out; strands run beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strand {
    /// What keys are derived from.
    Keys,
    /// What sends again.
    Retries,
    /// What is done in which order, and all that takes no time.
    Order,
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
    /// Every key, once somebody has asked.
    keys: OnceCell<Vec<Keyed>>,
    /// By function: the name of the remote procedure that it writes into a request of JSON-RPC.
    remote: RefCell<HashMap<FnId, Option<ExprId>>>,
}

/// A key where it is used, and why it differs from attempt to attempt.
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
pub fn run<'t, 'a>(
    guards: &(dyn Fn() -> Guards<'t, 'a> + Sync),
    (index, manifest): (&Index, Option<&Manifest>),
    sites: &mut [Site],
    today: jiff::civil::Date,
) -> Outcome {
    let strands = [Strand::Keys, Strand::Retries, Strand::Order].into_par_iter();
    let code = strands.map(|strand| Part::of(&guards(), sites, strand)).reduce(Part::default, Part::join);
    let mut allows = Allows::new(&index.files, manifest, today);
    let mut outcome = allows.apply(code.found.into_values().flatten().collect());
    for entry in &ALL {
        if let Run::Allows(run) = entry.run {
            outcome.findings.extend(run(&allows).into_iter().map(of_file));
        }
    }
    outcome.unfollowed = code.unfollowed.into_iter().collect();
    outcome.findings.sort_by(|a, b| a.order().cmp(&b.order()));
    outcome.exceptions.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    exempt(index, sites, &outcome.exceptions);
    outcome
}

/// What some of the rules say.
#[derive(Default)]
struct Part {
    /// By the place of the rule in [`ALL`].
    found: BTreeMap<usize, Vec<Found>>,
    unfollowed: BTreeSet<String>,
}

impl Part {
    fn of(guards: &Guards<'_, '_>, sites: &[Site], strand: Strand) -> Part {
        let context = Context::new(guards, sites);
        let checks = ALL.iter().enumerate().filter_map(|(at, entry)| match entry.run {
            Run::Code(of, check) => (of == strand).then_some((at, check)),
            Run::Allows(_) => None,
        });
        let found = checks.map(|(at, check)| (at, check(&context).into_iter().map(Found::placed).collect()));
        let found = found.collect();
        let unfollowed = context.flow.unfollowed().into_iter().map(|id| context.path_of(id)).collect();
        Part { found, unfollowed }
    }

    fn join(mut self, other: Part) -> Part {
        self.found.extend(other.found);
        self.unfollowed.extend(other.unfollowed);
        self
    }
}

/// An exception belongs to the file that it is written in.
fn of_file(mut finding: Finding) -> Finding {
    finding.subject = std::mem::take(&mut finding.subject).within(finding.place.source.name());
    finding
}

fn exempt(index: &Index, sites: &mut [Site], exceptions: &[Exception]) {
    for site in sites {
        let source = &index.files[site.sink.file].source;
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
        let flow = Flow::new(guards.types, guards.graph);
        let (keys, remote) = (OnceCell::new(), RefCell::default());
        Context { guards, flow, sites, acts, manifest: guards.manifest, keys, remote }
    }

    /// Every key that is used.
    fn keys(&self) -> &[Keyed] {
        let keyed = |used: KeyUse| {
            let scope = Scope::Fn(used.function);
            Keyed { used, key: self.guards.key(scope, used.value), fresh: self.guards.attempt(scope, used.value) }
        };
        let acts = || self.acts.iter().map(|(_, act)| act);
        self.keys.get_or_init(|| self.guards.key_uses(acts()).into_iter().map(keyed).collect())
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
        let says = |file: &FileSummary| words.iter().any(|word| file.source.says(word));
        let near: Vec<bool> = index.files.par_iter().map(says).collect();
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
