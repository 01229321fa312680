//! Expressions and blocks, children before parents, so that a parent's bytes follow from theirs.

use syn::spanned::Spanned;

use crate::scan::ir::{Arm, BlockKind, Body, Expr, ExprId, LoopKind, Node, Param, Pat, Stmt, Ty};
use crate::source::Span;

use super::attributes::is_test;
use super::patterns::{literal, member, pattern, pattern_span, pattern_start};
use super::types;
use super::{Lowering, MOST_DEPTH};

/// Makes one [`Body`].
pub(super) struct Bodies<'l, 'a> {
    pub(super) lowering: &'l mut Lowering<'a>,
    nodes: Vec<Node>,
    structs: Vec<ExprId>,
    items: bool,
}

/// An expression that is in the arena, and its bytes with the parentheses around it.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) id: ExprId,
    pub(super) span: Span,
}

/// Makes a body of what `read` reads.
pub(super) fn body<'a>(lowering: &mut Lowering<'a>, read: impl FnOnce(&mut Bodies<'_, 'a>) -> Option<ExprId>) -> Body {
    let mut bodies = Bodies { lowering, nodes: Vec::new(), structs: Vec::new(), items: false };
    let root = read(&mut bodies);
    let Bodies { mut nodes, mut structs, items, .. } = bodies;
    // Bodies stay for the whole scan: room that growth left over is given back.
    nodes.shrink_to_fit();
    structs.shrink_to_fit();
    let body = Body { nodes, root, structs, items };
    if body.nodes.len() > MOST_DEPTH as usize {
        lowering.too_deep = lowering.too_deep.or_else(|| too_deep(&body));
    }
    body
}

/// The bytes of an expression that stands too deep.
fn too_deep(body: &Body) -> Option<Span> {
    let mut depths = vec![0_u32; body.nodes.len()];
    // Parents stand behind their children.
    for (at, node) in body.nodes.iter().enumerate().rev() {
        let above = node.parent.and_then(|parent| depths.get(parent.0 as usize)).map_or(0, |depth| depth + 1);
        if above > MOST_DEPTH {
            return Some(node.span);
        }
        depths[at] = above;
    }
    None
}

impl Bodies<'_, '_> {
    /// Adds a node and tells its children.
    pub(super) fn push(&mut self, expr: Expr, span: Span) -> Placed {
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let nodes = &mut self.nodes;
        self.lowering.called.note(&expr, nodes);
        match &expr {
            Expr::Struct { .. } => self.structs.push(id),
            Expr::Block { stmts, .. } => self.items |= stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))),
            _ => {}
        }
        expr.children(&mut |child| {
            if let Some(node) = nodes.get_mut(child.0 as usize) {
                node.parent = Some(id);
            }
        });
        self.nodes.push(Node { expr, span, parent: None });
        Placed { id, span }
    }

    pub(super) fn list<'e>(&mut self, list: impl IntoIterator<Item = &'e syn::Expr>) -> Vec<ExprId> {
        list.into_iter().map(|expr| self.expr(expr).id).collect()
    }

    /// The arguments of a call, and where the last of them ends.
    fn arguments<'e>(&mut self, list: impl IntoIterator<Item = &'e syn::Expr>) -> (Vec<ExprId>, Option<usize>) {
        let mut end = None;
        let mut one = |expr| {
            let placed = self.expr(expr);
            end = Some(placed.span.end);
            placed.id
        };
        let args = list.into_iter().map(&mut one).collect();
        (args, end)
    }

    fn optional(&mut self, expr: Option<&syn::Expr>) -> Option<Placed> {
        expr.map(|expr| self.expr(expr))
    }

    fn start(&self, span: proc_macro2::Span) -> usize {
        self.lowering.places.start(span)
    }

    fn end(&self, span: proc_macro2::Span) -> usize {
        self.lowering.places.end(span)
    }

    /// An expression.
    pub(super) fn expr(&mut self, written: &syn::Expr) -> Placed {
        match written {
            syn::Expr::Path(inner) => {
                let (path, span) = types::path(inner.qself.as_ref(), &inner.path, &self.lowering.places);
                self.push(Expr::Path(path), span)
            }
            syn::Expr::Lit(inner) => {
                let span = self.lowering.places.range(inner.lit.span());
                self.push(Expr::Lit(literal(&inner.lit)), span)
            }
            syn::Expr::MethodCall(inner) => self.method(inner),
            syn::Expr::Call(inner) => {
                let callee = self.expr(&inner.func);
                let (args, last) = self.arguments(&inner.args);
                let places = &self.lowering.places;
                let last =
                    last.unwrap_or_else(|| places.end_behind(callee.span.end, "(", inner.paren_token.span.open()));
                let end = places.closed_behind(last, b')', inner.paren_token.span.close());
                self.push(Expr::Call { callee: callee.id, args }, Span::new(callee.span.start, end))
            }
            syn::Expr::Field(inner) => {
                let base = self.expr(&inner.base);
                let places = &self.lowering.places;
                let (name, end) = match &inner.member {
                    syn::Member::Named(name) => {
                        let (name, span) = places.name_behind(base.span.end, ".", name);
                        (name, span.end)
                    }
                    syn::Member::Unnamed(_) => (member(&inner.member, places), self.end(inner.member.span())),
                };
                self.push(Expr::Field(base.id, name), Span::new(base.span.start, end))
            }
            syn::Expr::Await(inner) => {
                let base = self.expr(&inner.base);
                let end = self.lowering.places.end_behind(base.span.end, ".await", inner.await_token.span);
                self.push(Expr::Await(base.id), Span::new(base.span.start, end))
            }
            syn::Expr::Try(inner) => {
                let base = self.expr(&inner.expr);
                let end = self.lowering.places.end_behind(base.span.end, "?", inner.question_token.spans[0]);
                self.push(Expr::Try(base.id), Span::new(base.span.start, end))
            }
            syn::Expr::Index(inner) => {
                let (base, index) = (self.expr(&inner.expr), self.expr(&inner.index));
                let end = self.end(inner.bracket_token.span.close());
                self.push(Expr::Index(base.id, index.id), Span::new(base.span.start, end))
            }
            syn::Expr::Paren(inner) => {
                let Placed { id, .. } = self.expr(&inner.expr);
                Placed { id, span: self.lowering.places.range(inner.paren_token.span.join()) }
            }
            syn::Expr::Group(inner) => self.expr(&inner.expr),
            syn::Expr::Macro(inner) => self.macro_call(&inner.mac),
            _ => self.operation(written),
        }
    }

    /// Operators.
    fn operation(&mut self, written: &syn::Expr) -> Placed {
        match written {
            syn::Expr::Reference(inner) => self.prefix(inner.and_token.spans[0], &inner.expr, Expr::Ref),
            syn::Expr::RawAddr(inner) => self.prefix(inner.and_token.spans[0], &inner.expr, Expr::Ref),
            syn::Expr::Unary(inner) => {
                let sign = match inner.op {
                    syn::UnOp::Deref(_) => '*',
                    syn::UnOp::Not(_) => '!',
                    _ => '-',
                };
                self.prefix(inner.op.span(), &inner.expr, |id| Expr::Unary(sign, id))
            }
            syn::Expr::Binary(inner) => self.binary(inner),
            syn::Expr::Assign(inner) => {
                let (left, right) = (self.expr(&inner.left), self.expr(&inner.right));
                self.push(Expr::Assign("=".to_owned(), left.id, right.id), left.span.to(right.span))
            }
            syn::Expr::Cast(inner) => {
                let value = self.expr(&inner.expr);
                let end = types::type_end(&inner.ty, &self.lowering.places);
                let ty = types::ty(&inner.ty, &self.lowering.places);
                self.push(Expr::Cast(value.id, ty), Span::new(value.span.start, end))
            }
            syn::Expr::Range(inner) => {
                let limits = self.lowering.places.range(inner.limits.span());
                let (from, to) = (self.optional(inner.start.as_deref()), self.optional(inner.end.as_deref()));
                let span = from.iter().chain(&to).fold(limits, |span, placed| span.to(placed.span));
                self.push(Expr::Range(from.map(|from| from.id), to.map(|to| to.id)), span)
            }
            syn::Expr::Tuple(inner) => {
                let list = self.list(&inner.elems);
                let span = self.lowering.places.range(inner.paren_token.span.join());
                self.push(Expr::Tuple(list), span)
            }
            syn::Expr::Array(inner) => {
                let list = self.list(&inner.elems);
                let span = self.lowering.places.range(inner.bracket_token.span.join());
                self.push(Expr::Array(list), span)
            }
            syn::Expr::Repeat(inner) => {
                let list = self.list([&*inner.expr, &*inner.len]);
                let span = self.lowering.places.range(inner.bracket_token.span.join());
                self.push(Expr::Array(list), span)
            }
            _ => self.control(written),
        }
    }

    /// What steers.
    fn control(&mut self, written: &syn::Expr) -> Placed {
        match written {
            syn::Expr::Block(inner) => self.block(&inner.block, BlockKind::Plain, None),
            syn::Expr::Unsafe(inner) => self.block(&inner.block, BlockKind::Plain, Some(inner.unsafe_token.span)),
            syn::Expr::Const(inner) => self.block(&inner.block, BlockKind::Plain, Some(inner.const_token.span)),
            syn::Expr::TryBlock(inner) => self.block(&inner.block, BlockKind::Plain, Some(inner.try_token.span)),
            syn::Expr::Async(inner) => self.block(&inner.block, BlockKind::Async, Some(inner.async_token.span)),
            syn::Expr::If(inner) => self.conditional(inner),
            syn::Expr::Let(inner) => {
                let value = self.expr(&inner.expr);
                let start = self.start(inner.let_token.span);
                let pat = pattern(&inner.pat, &self.lowering.places);
                self.push(Expr::Let(pat, value.id), Span::new(start, value.span.end))
            }
            syn::Expr::Match(inner) => self.switch(inner),
            syn::Expr::Loop(inner) => self.repeat(LoopKind::Loop, inner.loop_token.span, None, None, &inner.body),
            syn::Expr::While(inner) => {
                self.repeat(LoopKind::While, inner.while_token.span, None, Some(&inner.cond), &inner.body)
            }
            syn::Expr::ForLoop(inner) => {
                let pat = pattern(&inner.pat, &self.lowering.places);
                self.repeat(LoopKind::For, inner.for_token.span, Some(pat), Some(&inner.expr), &inner.body)
            }
            syn::Expr::Closure(inner) => self.closure(inner),
            syn::Expr::Struct(inner) => self.record(inner),
            syn::Expr::Return(inner) => self.leave(inner.return_token.span, inner.expr.as_deref(), Expr::Return),
            syn::Expr::Break(inner) => self.leave(inner.break_token.span, inner.expr.as_deref(), Expr::Break),
            syn::Expr::Yield(inner) => {
                let read = |value: Option<ExprId>| value.map_or(Expr::Tuple(Vec::new()), |id| Expr::Unary('y', id));
                self.leave(inner.yield_token.span, inner.expr.as_deref(), read)
            }
            syn::Expr::Continue(inner) => {
                let span = self.lowering.places.range(inner.continue_token.span);
                self.push(Expr::Continue, span)
            }
            syn::Expr::Verbatim(tokens) => self.unread_tokens(tokens),
            // `_`, and what a later parser may add.
            _ => {
                let span = self.lowering.places.range(written.span());
                self.push(Expr::Other, span)
            }
        }
    }

    fn method(&mut self, inner: &syn::ExprMethodCall) -> Placed {
        let receiver = self.expr(&inner.receiver);
        let (args, last) = self.arguments(&inner.args);
        let places = &self.lowering.places;
        let (name, name_span) = places.name_behind(receiver.span.end, ".", &inner.method);
        let generics = inner.turbofish.as_ref().map(|list| types::generic_arguments(list, places)).unwrap_or_default();
        let last = last.unwrap_or_else(|| match inner.turbofish {
            Some(_) => places.end(inner.paren_token.span.open()),
            None => places.end_behind(name_span.end, "(", inner.paren_token.span.open()),
        });
        let end = places.closed_behind(last, b')', inner.paren_token.span.close());
        let expr = Expr::Method { receiver: receiver.id, name, name_span, generics, args };
        self.push(expr, Span::new(receiver.span.start, end))
    }

    fn prefix(&mut self, sign: proc_macro2::Span, inner: &syn::Expr, make: impl FnOnce(ExprId) -> Expr) -> Placed {
        let value = self.expr(inner);
        let start = self.start(sign);
        self.push(make(value.id), Span::new(start, value.span.end))
    }

    fn leave(
        &mut self,
        word: proc_macro2::Span,
        value: Option<&syn::Expr>,
        make: impl FnOnce(Option<ExprId>) -> Expr,
    ) -> Placed {
        let value = self.optional(value);
        let word = self.lowering.places.range(word);
        let span = value.map_or(word, |value| word.to(value.span));
        self.push(make(value.map(|value| value.id)), span)
    }

    /// `a + b + c` leans to the left, as deep as it is long.
    fn binary(&mut self, inner: &syn::ExprBinary) -> Placed {
        let (left, right) = (self.expr(&inner.left), self.expr(&inner.right));
        let operator = operator(&inner.op);
        let expr = match operator {
            "==" | "!=" | "<=" | ">=" => Expr::Binary(operator.to_owned(), left.id, right.id),
            _ if operator.ends_with('=') => Expr::Assign(operator.to_owned(), left.id, right.id),
            _ => Expr::Binary(operator.to_owned(), left.id, right.id),
        };
        self.push(expr, left.span.to(right.span))
    }

    fn conditional(&mut self, inner: &syn::ExprIf) -> Placed {
        let condition = self.expr(&inner.cond);
        let then = self.block(&inner.then_branch, BlockKind::Plain, None);
        let otherwise = self.optional(inner.else_branch.as_ref().map(|(_, otherwise)| &**otherwise));
        let start = self.start(inner.if_token.span);
        let end = otherwise.unwrap_or(then).span.end;
        let otherwise = otherwise.map(|otherwise| otherwise.id);
        self.push(Expr::If { condition: condition.id, then: then.id, otherwise }, Span::new(start, end))
    }

    fn switch(&mut self, inner: &syn::ExprMatch) -> Placed {
        let scrutinee = self.expr(&inner.expr);
        let arms = inner.arms.iter().filter(|arm| !is_test(&arm.attrs)).map(|arm| self.arm(arm)).collect();
        let span = Span::new(self.start(inner.match_token.span), self.end(inner.brace_token.span.close()));
        self.push(Expr::Match { scrutinee: scrutinee.id, arms }, span)
    }

    fn arm(&mut self, arm: &syn::Arm) -> Arm {
        let guard = match &arm.pat {
            syn::Pat::Guard(guarded) => Some(self.expr(&guarded.guard).id),
            _ => None,
        };
        let body = self.expr(&arm.body);
        let start = pattern_start(&arm.pat, &self.lowering.places);
        let end = arm.comma.as_ref().map_or(body.span.end, |comma| self.end(comma.spans[0]));
        self.lowering.units.push(Span::new(start, end));
        Arm { pat: pattern(&arm.pat, &self.lowering.places), guard, body: body.id }
    }

    fn repeat(
        &mut self,
        kind: LoopKind,
        word: proc_macro2::Span,
        pat: Option<Pat>,
        head: Option<&syn::Expr>,
        block: &syn::Block,
    ) -> Placed {
        let head = self.optional(head).map(|head| head.id);
        let block = self.block(block, BlockKind::Plain, None);
        let start = self.start(word);
        self.push(Expr::Loop { kind, pat, head, body: block.id }, Span::new(start, block.span.end))
    }

    fn closure(&mut self, inner: &syn::ExprClosure) -> Placed {
        let params = inner.inputs.iter().map(|input| self.parameter(input)).collect();
        let body = self.expr(&inner.body);
        let first = match (&inner.asyncness, &inner.capture) {
            (Some(token), _) => token.span,
            (None, Some(token)) => token.span,
            (None, None) => inner.inputs_begin.spans[0],
        };
        let expr = Expr::Closure { params, body: body.id, is_async: inner.asyncness.is_some() };
        let start = self.start(first);
        self.push(expr, Span::new(start, body.span.end))
    }

    fn parameter(&mut self, input: &syn::Pat) -> Param {
        let places = &self.lowering.places;
        let span = pattern_span(input, places);
        match input {
            syn::Pat::Type(typed) => Param { pat: pattern(&typed.pat, places), ty: types::ty(&typed.ty, places), span },
            _ => Param { pat: pattern(input, places), ty: Ty::Other, span },
        }
    }

    fn record(&mut self, inner: &syn::ExprStruct) -> Placed {
        let mut fields = Vec::with_capacity(inner.fields.len());
        for field in inner.fields.iter().filter(|field| !is_test(&field.attrs)) {
            let value = self.expr(&field.expr);
            fields.push((member(&field.member, &self.lowering.places), value.id));
        }
        let rest = self.optional(inner.rest.as_deref()).map(|rest| rest.id);
        let (path, span) = types::path(inner.qself.as_ref(), &inner.path, &self.lowering.places);
        let end = self.end(inner.brace_token.span.close());
        self.push(Expr::Struct { path, fields, rest }, Span::new(span.start, end))
    }

    /// A block; `word` is `async` or `unsafe` before it.
    pub(super) fn block(&mut self, block: &syn::Block, kind: BlockKind, word: Option<proc_macro2::Span>) -> Placed {
        let stmts = self.statements(&block.stmts);
        let mut span = self.lowering.places.range(block.brace_token.span.join());
        if let Some(word) = word {
            span.start = self.start(word);
        }
        self.push(Expr::Block { kind, stmts }, span)
    }

    /// Statements; those that only tests see are left out.
    pub(super) fn statements(&mut self, written: &[syn::Stmt]) -> Vec<Stmt> {
        let mut stmts = Vec::with_capacity(written.len());
        for (at, stmt) in written.iter().enumerate() {
            let last = at + 1 == written.len();
            match stmt {
                syn::Stmt::Local(local) if is_test(&local.attrs) => {}
                syn::Stmt::Local(local) => stmts.push(self.local(local)),
                syn::Stmt::Item(item) => {
                    let items = self.lowering.item(item);
                    stmts.extend(items.into_iter().map(|item| Stmt::Item(Box::new(item))));
                }
                syn::Stmt::Expr(expr, _) if is_test(expression_attributes(expr)) => {}
                syn::Stmt::Expr(expr, semicolon) => {
                    let placed = self.expr(expr);
                    stmts.push(self.expression_statement(placed, semicolon.as_ref(), last));
                }
                syn::Stmt::Macro(call) if is_test(&call.attrs) => {}
                syn::Stmt::Macro(call) => {
                    let placed = self.macro_call(&call.mac);
                    stmts.push(self.expression_statement(placed, call.semi_token.as_ref(), last));
                }
            }
        }
        stmts
    }

    fn expression_statement(&mut self, placed: Placed, semicolon: Option<&syn::Token![;]>, last: bool) -> Stmt {
        let behind = |token: &syn::Token![;]| self.lowering.places.end_behind(placed.span.end, ";", token.spans[0]);
        let end = semicolon.map_or(placed.span.end, behind);
        self.lowering.units.push(Span::new(placed.span.start, end));
        Stmt::Expr { expr: placed.id, value: last && semicolon.is_none() }
    }

    fn local(&mut self, local: &syn::Local) -> Stmt {
        let value = local.init.as_ref().map(|init| self.expr(&init.expr));
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let otherwise = diverge.map(|(_, otherwise)| self.expr(otherwise).id);
        let places = &self.lowering.places;
        let end = match (value, otherwise) {
            (Some(value), None) => places.end_behind(value.span.end, ";", local.semi_token.spans[0]),
            _ => places.end(local.semi_token.spans[0]),
        };
        let span = Span::new(places.start(local.let_token.span), end);
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (pattern(&typed.pat, places), Some(types::ty(&typed.ty, places))),
            other => (pattern(other, places), None),
        };
        self.lowering.units.push(span);
        Stmt::Let { pat, ty, value: value.map(|value| value.id), otherwise, span }
    }
}

/// The attributes of an expression that stands as a statement, where a `cfg` may be.
fn expression_attributes(expr: &syn::Expr) -> &[syn::Attribute] {
    match expr {
        syn::Expr::Assign(inner) => &inner.attrs,
        syn::Expr::Await(inner) => &inner.attrs,
        syn::Expr::Block(inner) => &inner.attrs,
        syn::Expr::Call(inner) => &inner.attrs,
        syn::Expr::ForLoop(inner) => &inner.attrs,
        syn::Expr::If(inner) => &inner.attrs,
        syn::Expr::Loop(inner) => &inner.attrs,
        syn::Expr::Macro(inner) => &inner.attrs,
        syn::Expr::Match(inner) => &inner.attrs,
        syn::Expr::MethodCall(inner) => &inner.attrs,
        syn::Expr::Return(inner) => &inner.attrs,
        syn::Expr::Try(inner) => &inner.attrs,
        syn::Expr::Unsafe(inner) => &inner.attrs,
        syn::Expr::While(inner) => &inner.attrs,
        _ => &[],
    }
}

fn operator(op: &syn::BinOp) -> &'static str {
    match op {
        syn::BinOp::Add(_) => "+",
        syn::BinOp::Sub(_) => "-",
        syn::BinOp::Mul(_) => "*",
        syn::BinOp::Div(_) => "/",
        syn::BinOp::Rem(_) => "%",
        syn::BinOp::And(_) => "&&",
        syn::BinOp::Or(_) => "||",
        syn::BinOp::BitXor(_) => "^",
        syn::BinOp::BitAnd(_) => "&",
        syn::BinOp::BitOr(_) => "|",
        syn::BinOp::Shl(_) => "<<",
        syn::BinOp::Shr(_) => ">>",
        syn::BinOp::Eq(_) => "==",
        syn::BinOp::Lt(_) => "<",
        syn::BinOp::Le(_) => "<=",
        syn::BinOp::Ne(_) => "!=",
        syn::BinOp::Ge(_) => ">=",
        syn::BinOp::Gt(_) => ">",
        syn::BinOp::AddAssign(_) => "+=",
        syn::BinOp::SubAssign(_) => "-=",
        syn::BinOp::MulAssign(_) => "*=",
        syn::BinOp::DivAssign(_) => "/=",
        syn::BinOp::RemAssign(_) => "%=",
        syn::BinOp::BitXorAssign(_) => "^=",
        syn::BinOp::BitAndAssign(_) => "&=",
        syn::BinOp::BitOrAssign(_) => "|=",
        syn::BinOp::ShlAssign(_) => "<<=",
        syn::BinOp::ShrAssign(_) => ">>=",
        _ => "?",
    }
}
