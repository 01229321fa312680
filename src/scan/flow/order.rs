//! The order of what happens in one body: its control flow, from expression to expression.
//!
//! A closure may run where it stands, an async block does; what leaves either ends there. A turn says what was
//! found out on the way: that a condition held, a pattern fitted, a `?` passed.

use rustc_hash::FxHashMap as HashMap;

use crate::scan::ir::{Arm, BlockKind, Body, Expr, ExprId, LoopKind, MacroShape, Pat, Stmt};
use crate::source::Source;

/// A moment between two steps.
pub type Point = usize;

/// What is known once a way was taken.
#[derive(Clone, Copy, Debug)]
pub enum Turn<'a> {
    /// The condition held, or did not.
    If(ExprId, bool),
    /// The pattern fitted the value, or did not.
    Fits(&'a Pat, ExprId, bool),
    /// This arm of the `match` or `select!` was taken.
    Arm(ExprId, usize),
    /// The value before `?` was good, or it was handed out.
    Try(ExprId, bool),
    /// A loop begins another round.
    Again(ExprId),
    /// The closure is called by what it is given to.
    Called(ExprId),
}

/// The control flow of one body.
#[derive(Debug)]
pub struct Order<'a> {
    /// The ways on from each point.
    pub next: Vec<Vec<(Point, Option<Turn<'a>>)>>,
    /// Where everything is over.
    pub exit: Point,
    /// By expression: the point at which its value is there.
    done: Vec<Option<Point>>,
    /// By loop: where a round begins.
    rounds: HashMap<ExprId, Point>,
    /// By closure: where it begins.
    begun: HashMap<ExprId, Point>,
}

struct Around {
    label: Option<String>,
    head: Point,
    after: Point,
    id: Option<ExprId>,
    frame: usize,
}

struct Builder<'a, 's> {
    body: &'a Body,
    source: &'s Source,
    order: Order<'a>,
    /// Where `return` and a failed `?` lead, the innermost last.
    frames: Vec<Point>,
    loops: Vec<Around>,
}

impl<'a> Order<'a> {
    /// The order of a body; the text tells the labels of its loops.
    #[must_use]
    pub fn of(body: &'a Body, source: &Source) -> Order<'a> {
        let order = Order {
            next: vec![Vec::new(), Vec::new()],
            exit: 1,
            done: vec![None; body.nodes.len()],
            rounds: HashMap::default(),
            begun: HashMap::default(),
        };
        let mut builder = Builder { body, source, order, frames: vec![1], loops: Vec::new() };
        if let Some(root) = body.root {
            let end = builder.value(0, root);
            builder.way(end, 1, None);
        }
        builder.order
    }

    /// The point at which the expression's value is there; `None` for what is no expression of its own.
    #[must_use]
    pub fn done(&self, id: ExprId) -> Option<Point> {
        self.done.get(id.0 as usize).copied().flatten()
    }

    /// Where the closure begins.
    #[must_use]
    pub fn begun(&self, id: ExprId) -> Option<Point> {
        self.begun.get(&id).copied()
    }

    /// Where a round of the loop begins.
    #[must_use]
    pub fn round(&self, id: ExprId) -> Option<Point> {
        self.rounds.get(&id).copied()
    }
}

impl<'a> Builder<'a, '_> {
    fn point(&mut self) -> Point {
        self.order.next.push(Vec::new());
        self.order.next.len() - 1
    }

    fn way(&mut self, from: Point, to: Point, turn: Option<Turn<'a>>) {
        self.order.next[from].push((to, turn));
    }

    fn after(&mut self, from: Point, turn: Option<Turn<'a>>) -> Point {
        let to = self.point();
        self.way(from, to, turn);
        to
    }

    /// Evaluates the expression from a point on; where that leads.
    fn value(&mut self, at: Point, id: ExprId) -> Point {
        let end = self.steps(at, id);
        let done = self.after(end, None);
        if let Some(slot) = self.order.done.get_mut(id.0 as usize) {
            *slot = Some(done);
        }
        done
    }

    fn all(&mut self, at: Point, ids: impl IntoIterator<Item = ExprId>) -> Point {
        ids.into_iter().fold(at, |at, id| self.value(at, id))
    }

    fn steps(&mut self, at: Point, id: ExprId) -> Point {
        let body = self.body;
        match body.expr(id) {
            Expr::Block { kind: BlockKind::Plain, stmts } => self.statements(at, stmts),
            // A task of its own goes on by itself: nothing here comes after it.
            Expr::Block { kind: BlockKind::Async, stmts } if self.is_spawned(id) => {
                self.framed(|own| own.statements(at, stmts));
                self.after(at, None)
            }
            Expr::Closure { body: inner, .. } if self.is_spawned(id) => {
                self.framed(|own| own.value(at, *inner));
                self.after(at, None)
            }
            Expr::Block { kind: BlockKind::Async, stmts } => self.framed(|own| own.statements(at, stmts)),
            Expr::Closure { body: inner, .. } => {
                let begun = self.after(at, Some(Turn::Called(id)));
                self.order.begun.insert(id, begun);
                let end = self.framed(|own| own.value(begun, *inner));
                self.way(at, end, None);
                end
            }
            Expr::If { condition, then, otherwise } => {
                let (yes, no) = self.condition(at, *condition);
                let end = self.value(yes, *then);
                let other = otherwise.map_or(no, |other| self.value(no, other));
                self.way(other, end, None);
                end
            }
            Expr::Binary(operator, ..) if matches!(operator.as_str(), "&&" | "||") => self.either(at, id),
            Expr::Let(..) | Expr::Unary('!', _) => self.either(at, id),
            Expr::Match { scrutinee, arms } => {
                let at = self.value(at, *scrutinee);
                self.arms(at, id, arms)
            }
            Expr::Loop { kind, head, body: inner, .. } => self.rounds(at, id, *kind, *head, *inner),
            Expr::Try(inner) => {
                let at = self.value(at, *inner);
                let out = self.frames.last().copied().unwrap_or(self.order.exit);
                self.way(at, out, Some(Turn::Try(*inner, false)));
                self.after(at, Some(Turn::Try(*inner, true)))
            }
            Expr::Return(value) => {
                let at = self.all(at, *value);
                self.out(at)
            }
            Expr::Break(value) => {
                let at = self.all(at, *value);
                self.leave(at, id, false)
            }
            Expr::Continue => self.leave(at, id, true),
            Expr::Macro(call) => match &call.shape {
                MacroShape::Select(arms) => self.selected(at, id, arms),
                shape => {
                    let name = call.path.segments.last().map_or("", |last| last.name.as_str());
                    match (name, shape) {
                        ("bail" | "panic" | "todo" | "unimplemented" | "unreachable", _) => {
                            let at = self.children(at, id);
                            self.out(at)
                        }
                        ("ensure", MacroShape::Exprs(args)) if !args.is_empty() => {
                            let (yes, no) = self.condition(at, args[0]);
                            let no = self.all(no, args[1..].iter().copied());
                            self.out(no);
                            yes
                        }
                        _ => self.children(at, id),
                    }
                }
            },
            _ => self.children(at, id),
        }
    }

    fn children(&mut self, at: Point, id: ExprId) -> Point {
        let mut inside = Vec::new();
        self.body.expr(id).children(&mut |child| inside.push(child));
        self.all(at, inside)
    }

    /// Leaves the closure, async block or function; where nobody comes by.
    fn out(&mut self, at: Point) -> Point {
        let out = self.frames.last().copied().unwrap_or(self.order.exit);
        self.way(at, out, None);
        self.point()
    }

    /// Whether it is given to something that starts it as a task of its own.
    fn is_spawned(&self, id: ExprId) -> bool {
        self.body.ancestors(id).take(3).any(|holder| {
            let name = match self.body.expr(holder) {
                Expr::Method { name, .. } => name.as_str(),
                Expr::Call { callee, .. } => match self.body.expr(*callee) {
                    Expr::Path(path) => path.segments.last().map_or("", |last| last.name.as_str()),
                    _ => "",
                },
                _ => "",
            };
            name.contains("spawn") && !self.is_waited_for(holder)
        })
    }

    /// Whether the task is awaited where it is started.
    fn is_waited_for(&self, id: ExprId) -> bool {
        matches!(self.body.node(id).parent.map(|parent| self.body.expr(parent)), Some(Expr::Await(_)))
    }

    /// What leaves it goes no further than its end. Loops outside are out of reach.
    fn framed(&mut self, inside: impl FnOnce(&mut Self) -> Point) -> Point {
        let out = self.point();
        self.frames.push(out);
        let end = inside(self);
        self.frames.pop();
        self.way(end, out, None);
        out
    }

    fn statements(&mut self, mut at: Point, stmts: &'a [Stmt]) -> Point {
        for stmt in stmts {
            at = match stmt {
                Stmt::Let { pat, value: Some(value), otherwise: Some(otherwise), .. } => {
                    let there = self.value(at, *value);
                    let no = self.after(there, Some(Turn::Fits(pat, *value, false)));
                    let yes = self.after(there, Some(Turn::Fits(pat, *value, true)));
                    let end = self.value(no, *otherwise);
                    self.way(end, yes, None);
                    yes
                }
                Stmt::Let { value, .. } => self.all(at, *value),
                Stmt::Expr { expr, .. } => self.value(at, *expr),
                Stmt::Item(_) => at,
            };
        }
        at
    }

    fn either(&mut self, at: Point, id: ExprId) -> Point {
        let (yes, no) = self.condition(at, id);
        self.way(no, yes, None);
        yes
    }

    /// Where a condition leads when it holds, and when not.
    fn condition(&mut self, at: Point, id: ExprId) -> (Point, Point) {
        let body = self.body;
        let (yes, no) = match body.expr(id) {
            Expr::Binary(operator, left, right) if operator == "&&" => {
                let (both, no) = self.condition(at, *left);
                let (yes, other) = self.condition(both, *right);
                self.way(other, no, None);
                (yes, no)
            }
            Expr::Binary(operator, left, right) if operator == "||" => {
                let (yes, neither) = self.condition(at, *left);
                let (other, no) = self.condition(neither, *right);
                self.way(other, yes, None);
                (yes, no)
            }
            Expr::Unary('!', inner) => {
                let (yes, no) = self.condition(at, *inner);
                (no, yes)
            }
            Expr::Let(pat, value) => {
                let there = self.value(at, *value);
                let yes = self.after(there, Some(Turn::Fits(pat, *value, true)));
                (yes, self.after(there, Some(Turn::Fits(pat, *value, false))))
            }
            _ => {
                let there = self.value(at, id);
                let yes = self.after(there, Some(Turn::If(id, true)));
                return (yes, self.after(there, Some(Turn::If(id, false))));
            }
        };
        if let Some(slot) = self.order.done.get_mut(id.0 as usize) {
            *slot = Some(yes);
        }
        (yes, no)
    }

    /// Arms in their order: what fitted one and failed its guard comes to the next that takes the same.
    fn arms(&mut self, at: Point, id: ExprId, arms: &'a [Arm]) -> Point {
        let end = self.point();
        let mut base = at;
        let mut refused: HashMap<&'a str, Point> = HashMap::default();
        for (position, arm) in arms.iter().enumerate() {
            let head = head_of(&arm.pat);
            let own = head.and_then(|(name, _)| refused.get(name).copied());
            let from = own.unwrap_or(base);
            let taken = self.after(from, Some(Turn::Arm(id, position)));
            if head.is_none() {
                refused.values().copied().collect::<Vec<_>>().into_iter().for_each(|from| self.way(from, taken, None));
            }
            let inside = match arm.guard {
                Some(guard) => {
                    let (yes, no) = self.condition(taken, guard);
                    let on = self.after(no, None);
                    match head {
                        Some((name, all)) => {
                            if !all {
                                self.way(from, on, None);
                            }
                            refused.insert(name, on);
                        }
                        None => {
                            base = on;
                            refused.clear();
                        }
                    }
                    yes
                }
                None => taken,
            };
            let done = self.value(inside, arm.body);
            self.way(done, end, None);
        }
        if arms.is_empty() {
            self.way(at, end, None);
        }
        end
    }

    fn selected(&mut self, at: Point, id: ExprId, arms: &'a [(ExprId, Arm)]) -> Point {
        let end = self.point();
        // All futures are begun; one of them is first.
        let begun = self.all(at, arms.iter().map(|(future, _)| *future));
        for (position, (_, arm)) in arms.iter().enumerate() {
            let taken = self.after(begun, Some(Turn::Arm(id, position)));
            let inside = self.all(taken, arm.guard);
            let done = self.value(inside, arm.body);
            self.way(done, end, None);
        }
        if arms.is_empty() {
            self.way(begun, end, None);
        }
        end
    }

    fn rounds(&mut self, at: Point, id: ExprId, kind: LoopKind, head: Option<ExprId>, inner: ExprId) -> Point {
        let at = match (kind, head) {
            (LoopKind::For, Some(head)) => self.value(at, head),
            _ => at,
        };
        let (round, after) = (self.after(at, None), self.point());
        self.order.rounds.insert(id, round);
        let begin = match (kind, head) {
            (LoopKind::While, Some(condition)) => {
                let (yes, no) = self.condition(round, condition);
                self.way(no, after, None);
                yes
            }
            (LoopKind::For, _) => {
                self.way(round, after, None);
                self.after(round, None)
            }
            _ => round,
        };
        let frame = self.frames.len();
        self.loops.push(Around { label: self.label_before(id), head: round, after, id: Some(id), frame });
        let end = self.value(begin, inner);
        self.loops.pop();
        self.way(end, round, Some(Turn::Again(id)));
        after
    }

    /// `break` and `continue`, of the loop with the label where there is one.
    fn leave(&mut self, at: Point, id: ExprId, again: bool) -> Point {
        let text = self.source.text().get(self.body.node(id).span.start..).unwrap_or_default();
        let rest = text.strip_prefix(if again { "continue" } else { "break" }).unwrap_or_default().trim_start();
        let label = rest.strip_prefix('\'').and_then(|rest| rest.split(|letter: char| !is_of_name(letter)).next());
        let frame = self.frames.len();
        let mut around = self.loops.iter().rev().filter(|one| one.frame == frame);
        let found = match label {
            Some(label) => around.find(|one| one.label.as_deref() == Some(label)),
            None => around.next(),
        };
        if let Some((to, turn)) = found.map(|one| match again {
            true => (one.head, one.id.map(Turn::Again)),
            false => (one.after, None),
        }) {
            self.way(at, to, turn);
        }
        self.point()
    }

    /// `'outer` of `'outer: loop`.
    fn label_before(&self, id: ExprId) -> Option<String> {
        let start = self.body.node(id).span.start;
        let before = self.source.text().get(..start)?.trim_end().strip_suffix(':')?.trim_end();
        let at = before.rfind(|letter: char| !is_of_name(letter))?;
        before[at..].strip_prefix('\'').map(str::to_owned)
    }
}

/// The variant that a pattern takes, and whether it takes all of it; `None` where it takes anything.
fn head_of(pat: &Pat) -> Option<(&str, bool)> {
    let plain = |part: &Pat| matches!(part, Pat::Bind { inner: None, .. } | Pat::Wild);
    match pat {
        Pat::TupleStruct(path, parts) => Some((&path.segments.last()?.name, parts.iter().all(plain))),
        Pat::Struct(path, parts) => Some((&path.segments.last()?.name, parts.iter().all(|(_, part)| plain(part)))),
        Pat::Path(path) => Some((&path.segments.last()?.name, true)),
        Pat::Ref(inner) | Pat::Typed(inner, _) => head_of(inner),
        _ => None,
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
