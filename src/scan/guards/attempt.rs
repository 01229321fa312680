//! Values that differ from attempt to attempt: random ones, the clock, counters of attempts, what a database mints.
//! They are followed by value, through variables, formatting, helper functions and the fields of a key; a name alone
//! says little.

mod fields;

use crate::scan::guards::Guards;
use crate::scan::guards::attempt::fields::Held;
use crate::scan::guards::minted::{by_method, by_statement};
use crate::scan::index::{Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Lit, MacroShape, Path};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::call::Target;
use crate::scan::types::value::{Place, Scope};

/// Why a value differs from attempt to attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// What it is.
    pub kind: Kind,
    /// `uuid::Uuid::new_v4`, `attempt`.
    pub name: String,
    /// Where it is made.
    pub place: (Scope, ExprId),
    /// Whether another value is taken where there is one (`unwrap_or_else`).
    pub fallback: bool,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A random value.
    Random,
    /// The time.
    Clock,
    /// A count of attempts.
    Counter,
    /// A number or row that a database or a counter makes anew.
    Minted,
}

/// Types and modules of random values, by a name in their path, and their makers.
const RANDOM: [(&str, &[&str]); 14] = [
    ("Alphanumeric", &["sample_string"]),
    ("Cuid", &["new"]),
    ("Ksuid", &["generate", "new"]),
    ("ObjectId", &["new"]),
    ("OsRng", &["next_u32", "next_u64"]),
    ("RequestStrategy", &["ExponentialBackoff", "Retry", "idempotent_with_uuid"]),
    ("Ulid", &["from_datetime", "new"]),
    ("Uuid", &["new_v1", "new_v4", "new_v6", "new_v7", "now_v1", "now_v6", "now_v7"]),
    ("cuid", &["cuid", "cuid2", "slug"]),
    ("fastrand", &["alphanumeric", "i32", "i64", "u128", "u32", "u64", "u8", "usize"]),
    ("nanoid", &["format", "simple"]),
    ("rand", &["random", "random_range", "rng", "thread_rng"]),
    ("scru128", &["new", "new_string"]),
    ("xid", &["new"]),
];

/// The same of the clock.
const CLOCK: [(&str, &[&str]); 9] = [
    ("Instant", &["now"]),
    ("Local", &["now"]),
    ("OffsetDateTime", &["now_local", "now_utc"]),
    ("SystemTime", &["now"]),
    ("Timestamp", &["now"]),
    ("UNIX_EPOCH", &["elapsed"]),
    ("Utc", &["now", "today"]),
    ("Zoned", &["now"]),
    ("coarsetime", &["now"]),
];

/// Names of counters of attempts, alone or as an end of a longer name.
const COUNTERS: [&str; 8] =
    ["attempt", "attempt_no", "attempts", "n_tries", "retries", "retry", "retry_count", "tries"];

/// Methods that ask for another value only where there is none.
const FALLBACKS: [&str; 7] =
    ["get_or_insert_with", "map_or_else", "or", "or_else", "unwrap_or", "unwrap_or_else", "unwrap_or_default"];

/// How deep one value is followed through functions.
const FUNCTIONS: u32 = 6;

/// How far a value is followed, and by which way it was come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reach {
    /// Through so many functions.
    functions: u32,
    /// The calls that led into the function, the last one first: its parameters are what this one gives, and not what
    /// others give. Of a longer way the last two are known; beyond them every caller may be meant.
    calls: [Option<Place>; 2],
}

impl Reach {
    /// Through this many functions, from where it is asked.
    const fn new(functions: u32) -> Reach {
        Reach { functions, calls: [None, None] }
    }

    /// In a function that this call leads to.
    pub(super) fn called(self, call: Place) -> Option<Reach> {
        Some(Reach { functions: self.functions.checked_sub(1)?, calls: [Some(call), self.calls[0]] })
    }

    /// Where the function is called from: back on the way that was come, or by a caller's one step further.
    pub(super) fn calling(self) -> Option<Reach> {
        let functions = match self.calls[0] {
            Some(_) => self.functions.saturating_add(1),
            None => self.functions.checked_sub(1)?,
        };
        Some(Reach { functions, calls: [self.calls[1], None] })
    }

    /// In another function, whoever calls that.
    pub(super) fn elsewhere(self) -> Option<Reach> {
        Some(Reach::new(self.functions.checked_sub(1)?))
    }
}

/// The macro that makes a random value, when it is one.
fn random_macro(expr: &Expr) -> Option<&str> {
    let Expr::Macro(call) = expr else { return None };
    let name = &call.path.segments.last()?.name;
    (name == "nanoid" && matches!(call.shape, MacroShape::Exprs(_))).then_some(name)
}

impl<'a> Guards<'_, 'a> {
    /// What in the expression's value differs from attempt to attempt.
    #[must_use]
    pub fn attempt(&self, scope: Scope, id: ExprId) -> Option<Fresh> {
        self.fresh(scope, id, Reach::new(FUNCTIONS))
    }

    fn fresh(&self, scope: Scope, id: ExprId, reach: Reach) -> Option<Fresh> {
        let asked = (scope, id, reach);
        if let Some(found) = self.fresh.borrow().get(&asked) {
            return found.clone();
        }
        let cuts = self.cuts.get();
        let found = self.deeper(|| self.fresh_at(scope, id, reach)).flatten();
        // What was cut short may be found out from elsewhere.
        if self.cuts.get() == cuts {
            self.fresh.borrow_mut().insert(asked, found.clone());
        }
        found
    }

    fn any(&self, scope: Scope, ids: impl IntoIterator<Item = ExprId>, reach: Reach) -> Option<Fresh> {
        ids.into_iter().find_map(|id| self.fresh(scope, id, reach))
    }

    fn fresh_at(&self, scope: Scope, id: ExprId, reach: Reach) -> Option<Fresh> {
        let body = self.types.body(scope)?;
        match body.expr(id) {
            Expr::Path(path) => self.fresh_variable(scope, body, id, path, reach),
            Expr::Field(of, name) => {
                let counter = is_counter(name).then(|| found(Kind::Counter, name, scope, id));
                counter.or_else(|| match self.field_of(scope, *of, name, reach) {
                    Some(Held::Fresh(fresh)) => Some(fresh),
                    Some(Held::Steady) => None,
                    None => self.fresh(scope, *of, reach),
                })
            }
            Expr::Call { callee, args } => self.fresh_call(scope, body, id, *callee, args, reach),
            Expr::Method { receiver, name, args, .. } => {
                let made = self.fresh_method(scope, id, *receiver, name, reach);
                made.or_else(|| self.any(scope, [*receiver], reach)).or_else(|| {
                    let given = self.any(scope, args.iter().copied(), reach)?;
                    Some(Fresh { fallback: given.fallback || FALLBACKS.contains(&name.as_str()), ..given })
                })
            }
            Expr::Lit(Lit::Str(text)) => {
                by_statement(text).map(|(kind, name)| found(kind, name.trim_end_matches(['(', ')']), scope, id))
            }
            other => {
                let random = random_macro(other).map(|name| found(Kind::Random, name, scope, id));
                random.or_else(|| self.any(scope, other.handed_on(), reach))
            }
        }
    }

    fn fresh_variable(&self, scope: Scope, body: &'a Body, id: ExprId, path: &Path, reach: Reach) -> Option<Fresh> {
        let Some(name) = path.ident() else { return self.fresh_path(scope, id, path) };
        let Some(binding) = binding_of(&self.eval, scope, body, id, name) else {
            return self.fresh_path(scope, id, path);
        };
        let counter = || is_counter(name).then(|| found(Kind::Counter, name, scope, id));
        match binding {
            Binding::Let(_, _, Some(value)) => {
                self.fresh(scope, value, reach).or_else(|| self.assigned(scope, body, id, name, reach)).or_else(counter)
            }
            Binding::Let(_, _, None) => self.assigned(scope, body, id, name, reach).or_else(counter),
            Binding::Param(position, _) => counter().or_else(|| self.fresh_parameter(scope, position, reach)),
            Binding::Matched(_, value) => counter().or_else(|| self.fresh(scope, value, reach)),
            Binding::For(_, head) => counter().or_else(|| self.fresh(scope, head, reach)),
            Binding::Closure(..) | Binding::Meta(_) => counter(),
        }
    }

    /// What is assigned to a variable before it is read.
    fn assigned(&self, scope: Scope, body: &'a Body, at: ExprId, name: &str, reach: Reach) -> Option<Fresh> {
        let until = body.node(at).span.start;
        let values = body.ids().filter_map(|id| match body.expr(id) {
            Expr::Assign(operator, left, right) if operator == "=" && body.node(id).span.end <= until => {
                matches!(body.expr(*left), Expr::Path(path) if path.ident() == Some(name)).then_some(*right)
            }
            _ => None,
        });
        self.any(scope, values.collect::<Vec<_>>(), reach)
    }

    fn fresh_parameter(&self, scope: Scope, position: usize, reach: Reach) -> Option<Fresh> {
        let left = reach.calling()?;
        self.given(scope, position, reach).into_iter().find_map(|(caller, argument)| self.fresh(caller, argument, left))
    }

    /// What is given for a parameter of the function that holds a scope.
    fn given(&self, scope: Scope, position: usize, reach: Reach) -> Vec<Place> {
        match (reach.calls[0], scope) {
            (Some((caller, call)), _) => self.argument(caller, call, position).into_iter().collect(),
            (None, Scope::Fn(function)) => self.arguments(function, position),
            (None, Scope::Const(_) | Scope::Macro(..)) => Vec::new(),
        }
    }

    fn fresh_path(&self, scope: Scope, id: ExprId, path: &Path) -> Option<Fresh> {
        // A statement that is kept as a constant.
        if let Some(Def::Const(constant)) = self.types.index.resolve(self.module(scope), path) {
            let there = Scope::Const(constant);
            let root = self.types.body(there)?.root?;
            return self.fresh(there, root, Reach::new(1)).map(|fresh| Fresh { place: (scope, id), ..fresh });
        }
        // A maker given as a function: `unwrap_or_else(Uuid::new_v4)`.
        self.maker(scope, path).map(|(kind, name)| found(kind, &name, scope, id))
    }

    fn fresh_call(
        &self,
        scope: Scope,
        body: &'a Body,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
        reach: Reach,
    ) -> Option<Fresh> {
        if let Expr::Path(path) = body.expr(callee)
            && let Some((kind, name)) = self.maker(scope, path)
        {
            return Some(found(kind, &name, scope, id));
        }
        let inside = self.in_functions(&self.eval.target(scope, id), (scope, id), reach);
        inside.or_else(|| self.any(scope, args.iter().copied(), reach))
    }

    fn fresh_method(&self, scope: Scope, id: ExprId, receiver: ExprId, name: &str, reach: Reach) -> Option<Fresh> {
        let target = self.eval.target(scope, id);
        if let Target::Outside { path, .. } = &target {
            let names: Vec<&str> = path.split("::").collect();
            if by_method(path, name) {
                return Some(found(Kind::Minted, &format!("{path}::{name}"), scope, id));
            }
            if name == "elapsed" || is_random_source(&names, name) {
                let kind = if name == "elapsed" { Kind::Clock } else { Kind::Random };
                return Some(found(kind, &format!("{path}::{name}"), scope, id));
            }
        }
        let _ = receiver;
        self.in_functions(&target, (scope, id), reach)
    }

    /// What a function of the workspace returns: its value, its early returns.
    fn in_functions(&self, target: &Target, call: Place, reach: Reach) -> Option<Fresh> {
        match target {
            Target::Fns(ids) => {
                let called = reach.called(call)?;
                ids.iter().find_map(|id| self.returned_at(*id, called))
            }
            Target::Closure(holder, id) => {
                // What it captures is of the function that holds it.
                let further = reach.elsewhere()?;
                let calls = if *holder == call.0 { reach.calls } else { further.calls };
                self.fresh(*holder, *id, Reach { calls, ..further })
            }
            Target::Outside { .. } | Target::Construct(_) | Target::Unknown => None,
        }
    }

    /// What in a function's result differs from attempt to attempt, whoever calls it.
    #[must_use]
    pub fn returned(&self, id: FnId) -> Option<Fresh> {
        self.returned_at(id, Reach::new(4))
    }

    fn returned_at(&self, id: FnId, reach: Reach) -> Option<Fresh> {
        let scope = Scope::Fn(id);
        let body = self.types.body(scope)?;
        let early = body.ids().filter_map(|at| match body.expr(at) {
            Expr::Return(Some(value)) => Some(*value),
            _ => None,
        });
        self.any(scope, body.root.into_iter().chain(early).collect::<Vec<_>>(), reach)
    }

    /// A path that makes a fresh value, with its full name.
    fn maker(&self, scope: Scope, path: &Path) -> Option<(Kind, String)> {
        let names: Vec<String> = match self.types.index.resolve(self.module(scope), path) {
            Some(Def::External(path)) => path.split("::").map(str::to_owned).collect(),
            Some(_) => return None,
            None => path.names().into_iter().map(str::to_owned).collect(),
        };
        let (last, head) = names.split_last()?;
        let is_of = |table: &[(&str, &[&str])]| {
            table.iter().any(|(home, makers)| makers.contains(&last.as_str()) && head.iter().any(|name| name == home))
        };
        let full = names.join("::");
        if is_of(&RANDOM) {
            return Some((Kind::Random, full));
        }
        is_of(&CLOCK).then_some((Kind::Clock, full))
    }
}

/// Methods of a random number generator.
fn is_random_source(path: &[&str], name: &str) -> bool {
    const METHODS: [&str; 9] =
        ["fill_bytes", "gen", "gen_range", "next_u32", "next_u64", "random", "random_bool", "random_range", "sample"];
    METHODS.contains(&name) && path.iter().any(|part| part.contains("rand") || part.ends_with("Rng"))
}

/// Whether a name says that it counts attempts.
#[must_use]
pub fn is_counter(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    COUNTERS.iter().any(|counter| {
        name == *counter
            || name.strip_suffix(counter).is_some_and(|before| before.ends_with('_'))
            || name.strip_prefix(counter).is_some_and(|after| after.starts_with('_') && !after.ends_with("_id"))
    })
}

fn found(kind: Kind, name: &str, scope: Scope, id: ExprId) -> Fresh {
    Fresh { kind, name: name.to_owned(), place: (scope, id), fallback: false }
}
