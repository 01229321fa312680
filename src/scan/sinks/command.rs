//! External programs: network tools send, shells by the text that they are given.

use crate::catalog::call::Effect;
use crate::scan::index::FnId;
use crate::scan::ir::ExprId;
use crate::scan::sinks::effect::Told;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::uses::chain;
use crate::scan::sinks::{Context, Coverage};
use crate::scan::types::binding::bound_of;
use crate::scan::types::value::{Part, Scope, Text, shown};

/// Programs that reach other machines, whatever their arguments.
const TOOLS: [&str; 24] = [
    "aws",
    "az",
    "curl",
    "doctl",
    "fly",
    "flyctl",
    "gcloud",
    "gh",
    "glab",
    "heroku",
    "http",
    "kubectl",
    "mail",
    "mutt",
    "osascript",
    "rsync",
    "scp",
    "sendmail",
    "signal-cli",
    "ssh",
    "stripe",
    "vercel",
    "wget",
    "xh",
];
/// How many helpers hand arguments on to the next.
const LEVELS: usize = 4;
/// Words after a network tool that only read.
const READS: [&str; 21] = [
    "--help",
    "--list-models",
    "--version",
    "-V",
    "auth",
    "checks",
    "config",
    "cp",
    "describe",
    "describe-instances",
    "diff",
    "get",
    "help",
    "list",
    "logs",
    "ls",
    "search",
    "show",
    "status",
    "version",
    "view",
];
/// Shells, that run a text.
const SHELLS: [&str; 9] = ["bash", "cmd", "cmd.exe", "dash", "powershell", "powershell.exe", "pwsh", "sh", "zsh"];

/// What stands before the text that a shell runs.
const SCRIPT_FLAGS: [&str; 7] = ["-Command", "-c", "-command", "-ec", "-lc", "/C", "/c"];

impl<'a> Context<'_, 'a> {
    /// What a started program does; none when it stays on this machine.
    pub(super) fn command_effect(&self, leaving: &Leaving<'a, '_>, coverage: &mut Coverage) -> Option<Told> {
        let receiver = leaving.receiver?;
        let value = self.eval.value(leaving.scope, receiver);
        let mut command = value.command.as_deref().cloned()?;
        command.args.extend(self.later_arguments(leaving));
        let program = shown(&command.program);
        let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
        if program.contains("{}") || program.is_empty() {
            coverage.runtime_programs += 1;
            return None;
        }
        if SHELLS.contains(&program.as_str()) {
            return self.shell(&command.args, coverage);
        }
        let args: Vec<String> = command.args.iter().map(|arg| shown(arg)).collect();
        let sent = sends(&program, &args)
            || is_told_by_arguments(&program)
                && self.arguments_of_callers(leaving).iter().any(|args| sends(&program, args));
        sent.then(|| Told::of(told_effect(&program), &format!("`{program}` reaches other machines")))
    }

    /// What callers give a helper that hands its arguments on: `run(&["push", remote])`.
    fn arguments_of_callers(&self, leaving: &Leaving<'a, '_>) -> Vec<Vec<String>> {
        let mut out = Vec::new();
        let body = self.types.body(leaving.scope);
        let given = body.map(|body| chain(body, leaving.expr)).unwrap_or_default();
        if let Some((_, _, [list, ..])) = given.into_iter().find(|(_, name, _)| *name == "args") {
            self.given_for(leaving.function, *list, LEVELS, &mut out);
        }
        out
    }

    /// What callers give for a parameter that is handed on as it is.
    fn given_for(&self, function: FnId, list: ExprId, levels: usize, out: &mut Vec<Vec<String>>) {
        let Some(given) = self.given_by_callers(function, list) else {
            let texts = self.eval.listed(Scope::Fn(function), list);
            out.push(texts.iter().map(|text| shown(text)).collect());
            return;
        };
        let Some(levels) = levels.checked_sub(1) else { return };
        given.for_each(|(caller, list)| self.given_for(caller, list, levels, out));
    }

    /// Arguments that later statements give to the same variable.
    fn later_arguments(&self, leaving: &Leaving<'a, '_>) -> Vec<Text> {
        use crate::scan::ir::Expr;
        let (Some(body), Some(receiver)) = (self.types.body(leaving.scope), leaving.receiver) else {
            return Vec::new();
        };
        let at = body.base(receiver);
        let Expr::Path(path) = body.expr(at) else { return Vec::new() };
        let Some(name) = path.ident() else { return Vec::new() };
        let bound = bound_of(&self.eval, leaving.scope, body, at, name);
        let changes = self.eval.changes(leaving.scope, body);
        let setters = changes.given.of(name, bound).copied();
        setters.flatten().flat_map(|arg| self.eval.texts(leaving.scope, *arg)).collect()
    }

    fn shell(&self, args: &[Text], coverage: &mut Coverage) -> Option<Told> {
        let written: String = args.iter().map(|arg| shown(arg)).collect::<Vec<_>>().join(" ");
        let script =
            args.iter().position(|arg| SCRIPT_FLAGS.contains(&shown(arg).as_str())).and_then(|at| args.get(at + 1));
        let unknown =
            script.is_some_and(|script| !matches!(script.first(), Some(Part::Lit(lit)) if !lit.trim().is_empty()));
        let mut words = written.split(|letter: char| {
            letter.is_whitespace() || matches!(letter, '|' | ';' | '&' | '(' | ')' | '`' | '$' | '"' | '\'')
        });
        if let Some(tool) = words.find(|word| TOOLS.contains(word) && *word != "http" && *word != "mail") {
            let rest: Vec<String> = words.map(str::to_owned).collect();
            if sends(tool, &rest) {
                return Some(Told::of(told_effect(tool), &format!("the shell runs `{tool}`")));
            }
        }
        if unknown {
            coverage.runtime_programs += 1;
            let mut told = Told::of(Effect::Mutate, "a shell with a text from run time");
            told.undecided = Some("a shell runs a text that is told at run time".to_owned());
            return Some(told);
        }
        None
    }
}

/// Whether a program with these arguments changes something elsewhere.
fn sends(program: &str, args: &[String]) -> bool {
    match program {
        "git" => verb_of_git(args) == Some("push"),
        "curl" | "wget" | "http" | "xh" => true,
        "docker" | "podman" => args.first().is_some_and(|first| first == "push"),
        "cargo" | "npm" | "pnpm" | "yarn" => args.first().is_some_and(|first| first == "publish"),
        _ if TOOLS.contains(&program) => !args.iter().take(3).any(|arg| READS.contains(&arg.as_str())),
        _ => false,
    }
}

/// What git is asked: what stands behind its own settings, `-C dir push`.
fn verb_of_git(args: &[String]) -> Option<&str> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(args.next()),
            other if other.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
    None
}

/// Whether the first argument says what a program does.
fn is_told_by_arguments(program: &str) -> bool {
    matches!(program, "cargo" | "docker" | "git" | "npm" | "pnpm" | "podman" | "yarn")
}

fn told_effect(program: &str) -> Effect {
    match program {
        "curl" | "wget" | "http" | "xh" | "mail" | "mutt" | "sendmail" | "signal-cli" => Effect::Send,
        _ => Effect::Mutate,
    }
}
