//! What an expression holds.

use super::{Expr, ExprId, MacroShape, Stmt};

impl Expr {
    /// Calls `each` on every expression that stands directly in this one, in the order of the text where the
    /// text has one. Items inside blocks have bodies of their own and are left out.
    pub fn children(&self, each: &mut impl FnMut(ExprId)) {
        match self {
            Expr::Path(_) | Expr::Lit(_) | Expr::Continue | Expr::Other => {}
            Expr::Call { callee: first, args } | Expr::Method { receiver: first, args, .. } => {
                each(*first);
                args.iter().copied().for_each(each);
            }
            Expr::Field(inner, _)
            | Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Ref(inner)
            | Expr::Unary(_, inner)
            | Expr::Cast(inner, _)
            | Expr::Let(_, inner)
            | Expr::Closure { body: inner, .. } => each(*inner),
            Expr::Index(left, right) | Expr::Binary(_, left, right) | Expr::Assign(_, left, right) => {
                each(*left);
                each(*right);
            }
            Expr::Block { stmts, .. } => stmts.iter().for_each(|stmt| stmt_children(stmt, each)),
            Expr::If { condition, then, otherwise } => {
                each(*condition);
                each(*then);
                otherwise.iter().copied().for_each(each);
            }
            Expr::Match { scrutinee, arms } => {
                each(*scrutinee);
                for arm in arms {
                    arm.guard.iter().copied().for_each(&mut *each);
                    each(arm.body);
                }
            }
            Expr::Loop { head, body, .. } => {
                head.iter().copied().for_each(&mut *each);
                each(*body);
            }
            Expr::Struct { fields, rest, .. } => {
                fields.iter().for_each(|(_, value)| each(*value));
                rest.iter().copied().for_each(each);
            }
            Expr::Tuple(list) | Expr::Array(list) => list.iter().copied().for_each(each),
            Expr::Range(from, to) => from.iter().chain(to).copied().for_each(each),
            Expr::Return(value) | Expr::Break(value) => value.iter().copied().for_each(each),
            Expr::Macro(call) => macro_children(&call.shape, each),
        }
    }

    /// The expressions whose value is in this one's, or is it, as the form alone says. Of names, fields and calls
    /// there are none: what they name decides.
    #[must_use]
    pub fn handed_on(&self) -> Vec<ExprId> {
        match self {
            Expr::Macro(call) => match &call.shape {
                MacroShape::Exprs(list) => list.clone(),
                MacroShape::Map(pairs) => pairs.iter().map(|(_, value)| *value).collect(),
                MacroShape::Block(block) => vec![*block],
                MacroShape::Select(_) | MacroShape::Tokens(_) | MacroShape::Inert => Vec::new(),
            },
            Expr::Block { stmts, .. } => match stmts.last() {
                Some(Stmt::Expr { expr, value: true }) => vec![*expr],
                _ => Vec::new(),
            },
            Expr::If { then, otherwise, .. } => otherwise.iter().copied().chain([*then]).collect(),
            Expr::Match { arms, .. } => arms.iter().map(|arm| arm.body).collect(),
            Expr::Struct { fields, rest, .. } => fields.iter().map(|(_, value)| *value).chain(*rest).collect(),
            Expr::Await(inner)
            | Expr::Try(inner)
            | Expr::Ref(inner)
            | Expr::Unary(_, inner)
            | Expr::Cast(inner, _)
            | Expr::Closure { body: inner, .. }
            | Expr::Index(inner, _) => vec![*inner],
            Expr::Binary(_, left, right) => vec![*left, *right],
            Expr::Tuple(items) | Expr::Array(items) => items.clone(),
            Expr::Path(_)
            | Expr::Field(..)
            | Expr::Call { .. }
            | Expr::Method { .. }
            | Expr::Lit(_)
            | Expr::Assign(..)
            | Expr::Let(..)
            | Expr::Loop { .. }
            | Expr::Range(..)
            | Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue
            | Expr::Other => Vec::new(),
        }
    }
}

fn stmt_children(stmt: &Stmt, each: &mut impl FnMut(ExprId)) {
    match stmt {
        Stmt::Let { value, otherwise, .. } => value.iter().chain(otherwise).copied().for_each(each),
        Stmt::Expr { expr, .. } => each(*expr),
        Stmt::Item(_) => {}
    }
}

fn macro_children(shape: &MacroShape, each: &mut impl FnMut(ExprId)) {
    match shape {
        MacroShape::Exprs(list) | MacroShape::Tokens(list) => list.iter().copied().for_each(each),
        MacroShape::Block(block) => each(*block),
        MacroShape::Select(arms) => {
            for (future, arm) in arms {
                each(*future);
                arm.guard.iter().copied().for_each(&mut *each);
                each(arm.body);
            }
        }
        MacroShape::Map(pairs) => pairs.iter().for_each(|(_, value)| each(*value)),
        MacroShape::Inert => {}
    }
}
