//! Other ways to write a call whose value is used: a future that is awaited, or what a plain call answers.

use syn::visit::{self, Visit};

use super::text::{Code, Edits, range};

/// How one form is written in place of another: `$` is the expression.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) new: &'static str,
    /// What the file needs beside.
    pub(crate) items: &'static str,
}

/// Which expressions a form can stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// `$` of `$.await`, where it runs nothing that leaves the function.
    Future,
    /// `$.await` as a whole.
    Awaited,
    /// A call at the top of a statement that is not awaited.
    Plain,
}

const fn form(name: &'static str, place: Place, new: &'static str) -> Form {
    Form { name, place, new, items: "" }
}

const fn with(name: &'static str, place: Place, new: &'static str, items: &'static str) -> Form {
    Form { name, place, new, items }
}

const HELD: &str = "struct HeldHere<F> { run: F }\n";
const SAME: &str = "fn same_again<T>(it: T) -> T { it }\n";
const SAME_MACRO: &str = "macro_rules! same_again { ($it:expr) => { $it }; }\n";
const TOKENS_MACRO: &str = "macro_rules! as_it_is { ($($it:tt)*) => { $($it)* }; }\n";
const AWAITS: &str = "async fn awaited_there<F: std::future::Future>(it: F) -> F::Output { it.await }\n";
const CALLS: &str =
    "async fn called_there<F: FnOnce() -> T, T: std::future::Future>(make: F) -> T::Output { make().await }\n";
const AWAITER: &str = "struct Awaiter; impl Awaiter { \
    async fn await_it_here<F: std::future::Future>(&self, it: F) -> F::Output { it.await } }\n";
const AWAIT_MACRO: &str = "macro_rules! awaited_here { ($it:expr) => { $it.await }; }\n";

/// Every form; the first word says what the reader of the code would see.
pub(crate) const FORMS: [Form; 67] = [
    form("let pending", Place::Future, "{ let pending = $; pending }.await"),
    form("let pending, inside", Place::Awaited, "{ let pending = $; pending.await }"),
    form("let answer", Place::Awaited, "{ let answer = $.await; answer }"),
    form("async block", Place::Future, "async { $.await }.await"),
    form("async move block in a let", Place::Future, "{ let task = async move { $.await }; task.await }"),
    form("Box::pin", Place::Future, "Box::pin(async { $.await }).await"),
    form("Box::pin of it", Place::Future, "Box::pin($).await"),
    form("pin!", Place::Future, "std::pin::pin!($).await"),
    form("tokio::pin!", Place::Future, "{ let pending = $; tokio::pin!(pending); pending.await }"),
    form("&mut pinned", Place::Future, "{ let mut pending = std::pin::pin!($); (&mut pending).await }"),
    form("into_future", Place::Future, "std::future::IntoFuture::into_future($).await"),
    form("into_future method", Place::Future, "$.into_future().await"),
    form("boxed", Place::Future, "futures::FutureExt::boxed($).await"),
    form("fuse", Place::Future, "futures::FutureExt::fuse($).await"),
    form("map", Place::Future, "$.map(|it| it).await"),
    form("parentheses", Place::Awaited, "($.await)"),
    form("block", Place::Awaited, "{ $.await }"),
    form("labelled block", Place::Awaited, "'out: { break 'out $.await }"),
    form("loop that breaks at once", Place::Awaited, "loop { break $.await }"),
    form("match on nothing", Place::Awaited, "match () { () => $.await }"),
    form("if", Place::Awaited, "if std::env::args().count() < 9 { $.await } else { unreachable!() }"),
    form("match the future", Place::Future, "match ($) { pending => pending.await }"),
    form("if let Some", Place::Future, "if let Some(pending) = Some($) { pending.await } else { unreachable!() }"),
    form("let else", Place::Future, "{ let Some(pending) = Some($) else { unreachable!() }; pending.await }"),
    form("Option unwrap", Place::Future, "Some($).unwrap().await"),
    form("Option expect", Place::Future, "Some($).expect(\"it is there\").await"),
    form("Result unwrap", Place::Future, "Ok::<_, ()>($).unwrap().await"),
    form("Option take", Place::Future, "{ let mut slot = Some($); slot.take().unwrap().await }"),
    form("tuple field", Place::Future, "($, ()).0.await"),
    form("tuple pattern", Place::Future, "{ let (pending, ()) = ($, ()); pending.await }"),
    form("array", Place::Future, "[$].into_iter().next().unwrap().await"),
    form("vec", Place::Future, "vec![$].remove(0).await"),
    form("question mark", Place::Awaited, "async { Ok::<_, ()>($.await) }.await.unwrap()"),
    form("try in async", Place::Future, "async { let pending = Some($)?; Some(pending.await) }.await.unwrap()"),
    form("closure", Place::Future, "(|| $)().await"),
    form("closure in a let", Place::Future, "{ let make = || $; make().await }"),
    form("async closure", Place::Future, "{ let make = async || $.await; make().await }"),
    form("closure with async block", Place::Future, "{ let make = || async { $.await }; make().await }"),
    form("closure by move", Place::Future, "{ let make = move || async move { $.await }; make().await }"),
    form("boxed closure", Place::Future, "{ let make: Box<dyn FnOnce() -> _> = Box::new(|| $); make().await }"),
    with("closure in a field", Place::Future, "{ let held = HeldHere { run: || $ }; (held.run)().await }", HELD),
    with("struct field", Place::Future, "(HeldHere { run: $ }).run.await", HELD),
    with("struct pattern", Place::Future, "{ let HeldHere { run } = HeldHere { run: $ }; run.await }", HELD),
    with("own identity", Place::Future, "same_again($).await", SAME),
    form("std identity", Place::Future, "std::convert::identity($).await"),
    form("join!", Place::Future, "tokio::join!($).0"),
    form("futures::join!", Place::Future, "futures::join!($, async {}).0"),
    form("select!", Place::Future, "tokio::select! { answer = $ => answer, }"),
    form(
        "select! with a handler",
        Place::Future,
        "tokio::select! { biased; answer = $ => { answer } () = std::future::pending() => { unreachable!() } }",
    ),
    form("join_all", Place::Future, "futures::future::join_all([$]).await.pop().unwrap()"),
    form("unconstrained", Place::Future, "tokio::task::unconstrained($).await"),
    with("macro around the future", Place::Future, "same_again!($).await", SAME_MACRO),
    with("macro around the value", Place::Awaited, "same_again!($.await)", SAME_MACRO),
    with("macro of tokens", Place::Awaited, "as_it_is!($.await)", TOKENS_MACRO),
    with("macro that awaits", Place::Future, "awaited_here!($)", AWAIT_MACRO),
    with("own helper that awaits", Place::Future, "awaited_there($).await", AWAITS),
    with("own helper that calls", Place::Future, "called_there(|| $).await", CALLS),
    with("own method that awaits", Place::Future, "Awaiter.await_it_here($).await", AWAITER),
    form("push", Place::Future, "{ let mut list = Vec::new(); list.push($); list.pop().unwrap().await }"),
    form(
        "FuturesUnordered",
        Place::Future,
        "{ let mut all = futures::stream::FuturesUnordered::new(); all.push($); \
         futures::StreamExt::next(&mut all).await.unwrap() }",
    ),
    form(
        "loop over a list",
        Place::Future,
        "{ let mut got = None; for it in [$] { got = Some(it.await); } got.unwrap() }",
    ),
    form("mapped list", Place::Future, "futures::future::join_all([()].map(|()| $)).await.pop().unwrap()"),
    form("assigned later", Place::Future, "{ let pending; pending = $; pending.await }"),
    form("timeout", Place::Future, "tokio::time::timeout(std::time::Duration::MAX, $).await.unwrap()"),
    form("spawn", Place::Future, "tokio::spawn($).await.unwrap()"),
    form("block_on", Place::Future, "futures::executor::block_on($)"),
    form("async block given to block_on", Place::Future, "futures::executor::block_on(async { $.await })"),
];

/// What a plain call may become.
pub(crate) const PLAIN: [Form; 16] = [
    form("let, then the value", Place::Plain, "{ let answer = $; answer }"),
    form("closure", Place::Plain, "(|| $)()"),
    form("closure in a let", Place::Plain, "{ let call = || $; call() }"),
    form("parentheses", Place::Plain, "($)"),
    form("match", Place::Plain, "match ($) { answer => answer }"),
    form("match on nothing", Place::Plain, "match () { () => $ }"),
    form("Option unwrap", Place::Plain, "Some($).unwrap()"),
    form("loop that breaks at once", Place::Plain, "loop { break $ }"),
    form("std identity", Place::Plain, "std::convert::identity($)"),
    form("tuple", Place::Plain, "($, ()).0"),
    form("thread", Place::Plain, "std::thread::scope(|scope| scope.spawn(|| $).join().unwrap())"),
    with("closure in a field", Place::Plain, "{ let held = HeldHere { run: || $ }; (held.run)() }", HELD),
    with("own identity", Place::Plain, "same_again($)", SAME),
    with("macro", Place::Plain, "same_again!($)", SAME_MACRO),
    with("macro of tokens", Place::Plain, "as_it_is!($)", TOKENS_MACRO),
    form("if", Place::Plain, "if std::env::args().count() < 9 { $ } else { unreachable!() }"),
];

/// The text with the form wherever it fits; nothing where it fits nowhere.
pub(crate) fn written(code: &Code, form: &Form) -> Option<String> {
    let mut finder = Finder { code, form, edits: Edits::default() };
    finder.visit_file(&code.file);
    let text = finder.edits.apply(&code.text)?;
    Some(format!("{}\n{text}", form.items))
}

struct Finder<'c> {
    code: &'c Code,
    form: &'c Form,
    edits: Edits,
}

impl Finder<'_> {
    fn rewrite(&mut self, whole: &syn::Expr, inner: &syn::Expr) {
        let text = self.code.of(inner);
        self.edits.put(range(whole), self.form.new.replace('$', text));
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        if let syn::Expr::Await(awaited) = expr {
            let fits = match self.form.place {
                Place::Future => is_call(&awaited.base) && !leaves(&awaited.base),
                Place::Awaited => is_call(&awaited.base),
                Place::Plain => false,
            };
            // The innermost is rewritten: an await around it is left as it is.
            if fits && !awaits(&awaited.base) {
                return self.rewrite(expr, &awaited.base);
            }
        }
        visit::visit_expr(self, expr);
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        let value = match stmt {
            syn::Stmt::Local(local) => local.init.as_ref().map(|init| &*init.expr),
            syn::Stmt::Expr(expr, _) => Some(expr),
            syn::Stmt::Item(_) | syn::Stmt::Macro(_) => None,
        };
        if let Some(value) = value.filter(|value| self.form.place == Place::Plain && is_call(value))
            && !awaits(value)
            && !leaves(value)
        {
            return self.rewrite(value, value);
        }
        visit::visit_stmt(self, stmt);
    }
}

fn is_call(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Call(_) | syn::Expr::MethodCall(_))
}

/// Whether something in it would leave the function, or awaits: inside a closure it would mean something else.
fn leaves(expr: &syn::Expr) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_expr(&mut self, expr: &'ast syn::Expr) {
            match expr {
                syn::Expr::Try(_) | syn::Expr::Return(_) | syn::Expr::Await(_) | syn::Expr::Macro(_) => self.0 = true,
                syn::Expr::Closure(_) | syn::Expr::Async(_) => {}
                _ => visit::visit_expr(self, expr),
            }
        }
    }
    let mut leaves = Leaves(false);
    leaves.visit_expr(expr);
    leaves.0
}

/// Whether an await stands in it, closures and blocks included.
fn awaits(expr: &syn::Expr) -> bool {
    struct Awaits(bool);
    impl<'ast> Visit<'ast> for Awaits {
        fn visit_expr_await(&mut self, _: &'ast syn::ExprAwait) {
            self.0 = true;
        }
    }
    let mut awaits = Awaits(false);
    awaits.visit_expr(expr);
    awaits.0
}
