//! What a value may come from: backwards through variables, fields, parameters, constants and what functions return.

use rustc_hash::FxHashSet as HashSet;

use crate::scan::flow::Flow;
use crate::scan::index::{ConstId, Def, FnId};
use crate::scan::ir::{Body, Expr, ExprId, Path};
use crate::scan::types::binding::{Binding, binding_of};
use crate::scan::types::call::Target;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Place, Scope};

/// How many expressions one question looks at.
const PLACES: usize = 600;
/// How many callers give a parameter, and how many literals a field, before it counts as open.
const GIVERS: usize = 12;

/// What a value may come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Every expression that it may be made of, the asked one first.
    pub places: Vec<Place>,
    /// Whether some of it comes from where nobody looked: a parameter that nobody visible gives, a crate outside.
    pub open: bool,
}

/// Which arguments of methods are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// All of them.
    All,
    /// Those of methods that set a client up: `with`, `layer`, `retry`.
    Settings,
}

struct Search<'f, 't, 'a> {
    flow: &'f Flow<'t, 'a>,
    arguments: Arguments,
    seen: HashSet<Place>,
    waiting: Vec<Place>,
    found: Origins,
}

impl<'a> Flow<'_, 'a> {
    /// What the expression's value may come from.
    #[must_use]
    pub fn origins(&self, scope: Scope, id: ExprId, arguments: Arguments) -> Origins {
        let mut search =
            Search { flow: self, arguments, seen: HashSet::default(), waiting: Vec::new(), found: Origins::default() };
        search.push(scope, [id]);
        while let Some((scope, id)) = search.waiting.pop() {
            if search.found.places.len() >= PLACES {
                search.found.open = true;
                break;
            }
            search.found.places.push((scope, id));
            self.eval.refill();
            if let Some(body) = self.types.body(scope) {
                search.step(scope, body, id);
            }
        }
        search.found
    }
}

impl<'a> Search<'_, '_, 'a> {
    fn push(&mut self, scope: Scope, ids: impl IntoIterator<Item = ExprId>) {
        for id in ids {
            if self.seen.insert((scope, id)) {
                self.waiting.push((scope, id));
            }
        }
    }

    fn step(&mut self, scope: Scope, body: &'a Body, id: ExprId) {
        match body.expr(id) {
            Expr::Path(path) => self.named(scope, body, id, path),
            Expr::Field(of, name) => self.field(scope, body, *of, name),
            Expr::Call { callee, args } => {
                self.push(scope, args.iter().copied());
                if !matches!(body.expr(*callee), Expr::Path(_)) {
                    self.push(scope, [*callee]);
                }
                self.called(scope, id);
            }
            Expr::Method { receiver, name, args, .. } => {
                self.push(scope, [*receiver]);
                if self.arguments == Arguments::All || sets_up(name) {
                    self.push(scope, args.iter().copied());
                }
                self.called(scope, id);
            }
            other => self.push(scope, other.handed_on()),
        }
    }

    fn named(&mut self, scope: Scope, body: &'a Body, id: ExprId, path: &Path) {
        let flow = self.flow;
        if let Some(name) = path.ident()
            && let Some(binding) = binding_of(&flow.eval, scope, body, id, name)
        {
            match binding {
                Binding::Param(position, _) => self.parameter(scope, position, name),
                Binding::For(_, head) => self.push(scope, [head]),
                Binding::Closure(closure, ..) => match body.node(closure).parent.map(|holder| body.expr(holder)) {
                    Some(Expr::Method { receiver, .. }) => self.push(scope, [*receiver]),
                    _ => self.found.open = true,
                },
                Binding::Meta(_) => self.found.open = true,
                Binding::Let(..) | Binding::Matched(..) => {}
            }
            let given = flow.names(scope, body, id, name);
            self.push(scope, given);
            return;
        }
        match flow.types.index.resolve(flow.types.names(scope).module, path) {
            Some(Def::Const(id)) => self.constant(id),
            Some(Def::External(_)) | None => self.found.open = true,
            Some(_) => {}
        }
    }

    fn constant(&mut self, id: ConstId) {
        let root = self.flow.types.body(Scope::Const(id)).and_then(|body| body.root);
        self.push(Scope::Const(id), root);
    }

    /// What every visible caller gives.
    fn parameter(&mut self, scope: Scope, position: usize, name: &str) {
        let Scope::Fn(function) = scope else { return };
        // What `self` is, its fields say.
        if name == "self" {
            return;
        }
        let flow = self.flow;
        let mut given = 0;
        for call in flow.graph.callers(flow.types, function) {
            let Some(argument) = flow.argument(call.caller, call.expr, position) else { continue };
            given += 1;
            if given > GIVERS {
                break;
            }
            self.push(Scope::Fn(call.caller), [argument]);
        }
        self.found.open |= given == 0 || given > GIVERS;
    }

    /// A field is what the literals of its struct give, and what the value that holds it is made of.
    fn field(&mut self, scope: Scope, body: &'a Body, of: ExprId, name: &str) {
        let flow = self.flow;
        if let Expr::Struct { fields, .. } = body.expr(of) {
            let own: Vec<ExprId> = fields.iter().filter(|(field, _)| field == name).map(|(_, value)| *value).collect();
            return self.push(scope, own);
        }
        if let Some(value) = flow.literal_of(scope, body, of)
            && let Expr::Struct { fields, rest: None, .. } = body.expr(value)
            && let Some((_, value)) = fields.iter().find(|(field, _)| field == name)
        {
            return self.push(scope, [*value]);
        }
        match flow.eval.ty(scope, of) {
            Type::Local(id, _) => {
                let literals = flow.types.members.literals(id);
                let reads = flow.types.index.ty(id).attributes.iter().any(|one| one.tokens.contains("Deserialize"));
                if literals.is_empty() || reads {
                    self.push(scope, [of]);
                }
                self.found.open |= literals.is_empty() || literals.len() > GIVERS;
                for (function, literal) in literals.into_iter().take(GIVERS) {
                    let Some(Expr::Struct { fields, .. }) = flow.body(function).map(|body| body.expr(literal)) else {
                        continue;
                    };
                    let given = fields.iter().filter(|(field, _)| field == name).map(|(_, value)| *value);
                    self.push(Scope::Fn(function), given.collect::<Vec<_>>());
                }
            }
            _ => self.push(scope, [of]),
        }
    }

    /// What a function of the workspace returns.
    fn called(&mut self, scope: Scope, id: ExprId) {
        match self.flow.eval.target(scope, id) {
            Target::Fns(found) => {
                self.found.open |= found.len() > GIVERS;
                found.into_iter().take(GIVERS).for_each(|id| self.returned(id));
            }
            Target::Closure(there, closure) => self.push(there, [closure]),
            Target::Outside { .. } | Target::Construct(_) => {}
            Target::Unknown => self.found.open = true,
        }
    }

    fn returned(&mut self, id: FnId) {
        let Some(body) = self.flow.body(id) else { return };
        let early = body.ids().filter_map(|at| match body.expr(at) {
            Expr::Return(Some(value)) => Some(*value),
            _ => None,
        });
        self.push(Scope::Fn(id), body.root.into_iter().chain(early).collect::<Vec<_>>());
    }
}

impl Flow<'_, '_> {
    /// The struct literal that a variable of the same body holds.
    fn literal_of(&self, scope: Scope, body: &Body, id: ExprId) -> Option<ExprId> {
        let own = self.types.body(scope)?;
        let name = match body.expr(id) {
            Expr::Path(path) => path.ident()?,
            Expr::Ref(inner) => return self.literal_of(scope, body, *inner),
            _ => return None,
        };
        match binding_of(&self.eval, scope, own, id, name)? {
            Binding::Let(crate::scan::ir::Pat::Bind { .. }, _, Some(value)) => {
                matches!(own.expr(value), Expr::Struct { .. }).then_some(value)
            }
            _ => None,
        }
    }

    /// What a call gives for a parameter, `self` counted.
    #[must_use]
    pub fn argument(&self, caller: FnId, call: ExprId, position: usize) -> Option<ExprId> {
        match self.body(caller)?.expr(call) {
            Expr::Call { args, .. } => args.get(position).copied(),
            Expr::Method { receiver, args, .. } => match position.checked_sub(1) {
                None => Some(*receiver),
                Some(at) => args.get(at).copied(),
            },
            _ => None,
        }
    }
}

fn sets_up(name: &str) -> bool {
    const STARTS: [&str; 7] = ["add_", "config", "layer", "retry", "set_", "with", "and_"];
    STARTS.iter().any(|start| name.starts_with(start))
}
