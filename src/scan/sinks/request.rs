//! What a request is when its helper is called: parameters are asked of the callers.

use std::sync::Arc;

use rustc_hash::FxHashSet as HashSet;

use crate::scan::graph::CallKind;
use crate::scan::index::FnId;
use crate::scan::ir::{Expr, ExprId};
use crate::scan::sinks::Context;
use crate::scan::types::binding::name_of;
use crate::scan::types::value::{Request, Scope, applied_request};

/// How many callers up a question goes.
const LEVELS: usize = 5;
/// How many callers of a helper that hands something on are looked at.
const CALLERS: usize = 64;
/// How many answers are kept.
const ANSWERS: usize = 200;

/// A request as one path of callers asks for it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The request; parameters that nobody fills are left in it.
    pub request: Request,
    /// The functions that ask, the innermost first.
    pub by: Vec<FnId>,
    /// The calls between them, the innermost first; the last one decides.
    pub calls: Vec<(FnId, ExprId)>,
}

impl Context<'_, '_> {
    /// Every way in which callers ask for the request; itself when nobody decides anything of it.
    #[must_use]
    pub fn asked(&self, function: FnId, request: &Request) -> Vec<Asked> {
        let mut out = Vec::new();
        let mut path = Asked { request: request.clone(), by: vec![function], calls: Vec::new() };
        self.ask(function, &mut path, &mut out);
        out
    }

    fn ask(&self, function: FnId, path: &mut Asked, out: &mut Vec<Asked>) {
        if out.len() >= ANSWERS {
            return;
        }
        let calls: Vec<_> =
            self.graph.callers(self.types, function).filter(|call| call.kind == CallKind::Call).collect();
        if !path.request.has_params() || calls.is_empty() || path.by.len() > LEVELS {
            out.push(path.clone());
            return;
        }
        let request = path.request.clone();
        let mut seen = HashSet::default();
        for call in calls {
            if path.by.contains(&call.caller) || !seen.insert((call.caller, call.expr)) {
                continue;
            }
            let Some(given) = self.given(call.caller, call.expr, function) else { continue };
            path.request = applied_request(&request, &|at| match given.get(at) {
                Some(Some(arg)) => self.eval.value(Scope::Fn(call.caller), *arg),
                Some(None) | None => Arc::default(),
            });
            path.by.push(call.caller);
            path.calls.push((call.caller, call.expr));
            self.ask(call.caller, path, out);
            path.calls.pop();
            path.by.pop();
        }
        path.request = request;
        if out.is_empty() {
            out.push(path.clone());
        }
    }

    /// What callers give for a parameter that a function hands on as it is; none where the value is no parameter.
    pub(super) fn given_by_callers(
        &self,
        function: FnId,
        value: ExprId,
    ) -> Option<impl Iterator<Item = (FnId, ExprId)>> {
        let name = name_of(self.types.body(Scope::Fn(function))?, value)?;
        let params = &self.types.index.function(function).function.params;
        let place = params.iter().position(|param| param.pat.binds(name))?;
        Some(self.graph.callers(self.types, function).take(CALLERS).filter_map(move |call| {
            let given = self.given(call.caller, call.expr, function)?;
            Some((call.caller, given.get(place).copied().flatten()?))
        }))
    }

    /// What a call gives for each parameter, `self` first.
    pub(super) fn given(&self, caller: FnId, call: ExprId, callee: FnId) -> Option<Vec<Option<ExprId>>> {
        let body = self.types.body(Scope::Fn(caller))?;
        match body.expr(call) {
            Expr::Method { receiver, args, .. } => {
                let receiver =
                    self.types.index.functions[callee.0 as usize].function.has_self.then_some(Some(*receiver));
                Some(receiver.into_iter().chain(args.iter().map(|arg| Some(*arg))).collect())
            }
            Expr::Call { args, .. } => Some(args.iter().map(|arg| Some(*arg)).collect()),
            _ => None,
        }
    }
}
