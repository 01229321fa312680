//! Where control leaves the process: outbound calls at the lowest level that the workspace writes.
//!
//! [`matching`] finds calls whose target the catalog knows, or whose shape says that they send; [`request`]
//! asks callers for what a helper is given; [`fate`] follows a value to where it is awaited; [`effect`] says what a
//! request does, by [`recipes`].

pub mod blocking;
pub mod classify;
pub mod clients;
pub mod command;
pub mod documents;
pub mod effect;
pub mod fate;
pub mod gestures;
pub mod given;
pub mod matching;
pub mod names;
pub mod purpose;
pub mod recipes;
pub mod request;
pub mod shape;
pub mod sources;
pub mod uses;
pub mod verbs;
pub mod versions;

use rayon::prelude::*;

use crate::scan::graph::Graph;
use crate::scan::index::FnId;
use crate::scan::ir::ExprId;
use crate::scan::sinks::names::Names;
use crate::scan::site::Sink;
use crate::scan::types::Types;
use crate::scan::types::eval::Eval;
use crate::scan::types::value::Scope;

/// What the team says of its own network.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Hosts that are not the outside world, subdomains included.
    pub internal_hosts: Vec<String>,
}

/// What was not read or could not be told, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Coverage {
    /// Calls named like sends of which the receiver's type is not known, and that are not reported.
    pub unresolved_calls: usize,
    /// Requests whose HTTP method is told at run time.
    pub runtime_methods: usize,
    /// Programs that are told at run time, shells with a text from run time among them.
    pub runtime_programs: usize,
}

impl Coverage {
    fn add(&mut self, other: Coverage) {
        self.unresolved_calls += other.unresolved_calls;
        self.runtime_methods += other.runtime_methods;
        self.runtime_programs += other.runtime_programs;
    }
}

/// What every step of the search needs.
pub struct Context<'t, 'a> {
    /// Types and call targets.
    pub types: &'t Types<'a>,
    /// Who calls whom.
    pub graph: &'t Graph,
    /// What the team says.
    pub settings: &'t Settings,
    /// Method names that matter.
    pub names: &'t Names<'a>,
    /// Evaluates for this function.
    pub eval: Eval<'t, 'a>,
    used: fate::Used<'a>,
    /// Whether a text stands in a function.
    written: purpose::Written,
}

impl<'t, 'a> Context<'t, 'a> {
    /// Nothing is looked at yet.
    #[must_use]
    pub fn new(
        types: &'t Types<'a>,
        graph: &'t Graph,
        settings: &'t Settings,
        names: &'t Names<'a>,
        eval: Eval<'t, 'a>,
    ) -> Context<'t, 'a> {
        Context {
            types,
            graph,
            settings,
            names,
            eval,
            used: fate::Used::default(),
            written: purpose::Written::default(),
        }
    }
}

/// A function with the expressions in it that are worth a thorough look.
pub type Suspect = (FnId, Vec<ExprId>);

/// The expressions of a function that may be outbound calls, or that are to be counted: who calls whom is not asked
/// for them. None of a test.
#[must_use]
pub fn suspect(context: &Context<'_, '_>, id: FnId) -> Suspect {
    let body = context.types.body(Scope::Fn(id)).filter(|_| !context.types.index.function(id).test);
    let ids = body.into_iter().flat_map(|body| body.ids().filter(move |expr| context.may_leave(id, body, *expr)));
    (id, ids.collect())
}

/// Finds the outbound calls among the suspects, sorted by file and place.
#[must_use]
pub fn sinks<'a>(
    types: &Types<'a>,
    graph: &Graph,
    settings: &Settings,
    names: &Names<'a>,
    suspects: Vec<Suspect>,
) -> (Vec<Sink>, Coverage) {
    let look = |(id, exprs): Suspect| {
        let eval = Eval::new(types);
        in_function(&Context::new(types, graph, settings, names, eval), id, &exprs)
    };
    let suspects = suspects.into_par_iter().filter(|(_, exprs)| !exprs.is_empty());
    let found: Vec<(Vec<Sink>, Coverage)> = suspects.map(look).collect();
    let (mut sinks, mut coverage) = (Vec::new(), Coverage::default());
    for (more, counted) in found {
        sinks.extend(more);
        coverage.add(counted);
    }
    sinks.sort_by_key(|sink| (sink.file, sink.span, sink.expr));
    (sinks, coverage)
}

fn in_function(context: &Context<'_, '_>, id: FnId, exprs: &[ExprId]) -> (Vec<Sink>, Coverage) {
    let Some(body) = context.types.body(Scope::Fn(id)) else { return (Vec::new(), Coverage::default()) };
    let mut coverage = Coverage::default();
    let mut found = Vec::new();
    for expr in exprs {
        context.eval.refill();
        found.extend(context.sink_at(id, body, *expr, &mut coverage));
    }
    matching::one_of_each_chain(body, &mut found);
    (found.into_iter().map(|found| found.sink).collect(), coverage)
}
