//! Nothing is written that has not passed: the same splitter, replay and rules that judge a team's migrations
//! judge ours first, and each tool's own pitfalls besides.

use crate::diagnostic::{Fault, Faults, Finding, Label};
use crate::files::OutputFile;
use crate::lint::{self, Subject};
use crate::manifest::{Layout, Manifest};
use crate::migration::{Kind, Migration};
use crate::source::{Source, Span};
use crate::sql::split::{Pieces, split};
use crate::sql::{Parsed, SourceStatements, tokens};

/// First words of statements that PostgreSQL refuses inside a transaction, or that end it.
const OUTSIDE: [&[&str]; 21] = [
    &["ABORT"],
    &["ALTER", "SYSTEM"],
    &["BEGIN"],
    &["CALL"],
    &["COMMIT"],
    &["CREATE", "DATABASE"],
    &["CREATE", "INDEX", "CONCURRENTLY"],
    &["CREATE", "SUBSCRIPTION"],
    &["CREATE", "TABLESPACE"],
    &["CREATE", "UNIQUE", "INDEX", "CONCURRENTLY"],
    &["DISCARD"],
    &["DROP", "DATABASE"],
    &["DROP", "INDEX", "CONCURRENTLY"],
    &["DROP", "SUBSCRIPTION"],
    &["DROP", "TABLESPACE"],
    &["END"],
    &["PREPARE", "TRANSACTION"],
    &["REINDEX"],
    &["ROLLBACK"],
    &["START"],
    &["VACUUM"],
];

/// Judges the bytes of the files that a tool is to read.
///
/// # Errors
/// Everything that the tool would stumble over.
pub fn files(layout: Layout, files: &[OutputFile], kind: Kind) -> Result<(), Faults> {
    let opt_out = layout.spec().opt_out.as_deref().filter(|_| kind != Kind::AdoptedAlone);
    let sql = files.iter().filter(|file| file.path.extension().is_some_and(|extension| extension == "sql"));
    collect(sql.flat_map(|file| bytes(opt_out, file)).collect())
}

/// Judges the statements of a migration: each direction is one transaction that leaves the session as it was, or one
/// statement.
///
/// # Errors
/// Everything that cannot run in one transaction, or reaches beyond it.
pub fn statements(migration: &Migration) -> Result<(), Faults> {
    if migration.kind == Kind::AdoptedAlone {
        let several = [&migration.up, &migration.down].into_iter().find(|statements| statements.len() > 1);
        let fault = several.map(|statements| {
            refused(&Source::new("alone", script(statements)), Span::default(), "it does not stand alone in its file")
        });
        return collect(fault.into_iter().collect());
    }
    collect(direction("up", &migration.up).into_iter().chain(direction("down", &migration.down)).collect())
}

/// Judges the ledger as it is after `earlier` files and the migrations: everything in them is understood, and our own
/// rules find nothing, notes included, that they did not find before. What an older onlyonce emitted is for `check`
/// to judge: it must not keep a team from changing a setting.
///
/// # Errors
/// Each statement that is not understood, and each finding.
pub fn ledger(manifest: &Manifest, earlier: &[SourceStatements], migrations: &[Migration]) -> Result<(), Faults> {
    let read = |name: &str, statements: &[String]| SourceStatements::read(&Source::new(name, script(statements)));
    let ups: Vec<SourceStatements> = migrations.iter().map(|one| read("up", &one.up)).collect();
    let downs: Vec<SourceStatements> = migrations.iter().map(|one| read("down", &one.down)).collect();
    let opaque = ups.iter().chain(&downs).flat_map(|file| {
        file.statements.iter().filter_map(|statement| match &statement.parsed {
            Parsed::Opaque { reason } => Some(refused(&file.source, statement.span, reason)),
            Parsed::Read(_) => None,
        })
    });
    let mut faults: Vec<Fault> = opaque.collect();
    let history: Vec<SourceStatements> = earlier.iter().cloned().chain(ups).collect();
    let subject = Subject::of(manifest, true);
    let known = lint::run(earlier, &subject);
    let is_known = |one: &Finding| known.iter().any(|other| (other.rule, &other.message) == (one.rule, &one.message));
    faults.extend(lint::run(&history, &subject).into_iter().filter(|one| !is_known(one)).map(of_finding));
    collect(faults)
}

fn collect(faults: Vec<Fault>) -> Result<(), Faults> {
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
}

fn refused(source: &Source, span: Span, message: impl AsRef<str>) -> Fault {
    Fault::new(format!("what would be emitted is refused: {}", message.as_ref()))
        .at(Label::new(source, span, "here"))
        .with_help("nothing was written; please report this, with your onlyonce.toml")
}

fn of_finding(finding: Finding) -> Fault {
    let label = &finding.place;
    let mut fault = refused(&label.source, label.span, format!("{}: {}", finding.rule, finding.message));
    if let Some(place) = &mut fault.place {
        place.text.clone_from(&label.text);
    }
    fault
}

fn bytes(opt_out: Option<&str>, file: &OutputFile) -> Vec<Fault> {
    let source = Source::new(file.path.display().to_string(), file.text.as_str());
    let text = source.text();
    let mut faults = Vec::new();
    let mut refuse = |at: Option<usize>, message: &str| {
        faults.extend(at.map(|at| refused(&source, Span::new(at, at + 1), message)));
    };
    refuse(text.find(|c: char| !c.is_ascii()), "it is not ASCII, and tools disagree about encodings");
    refuse(text.find('\r'), "it has a carriage return, which changes checksums");
    refuse((!text.ends_with('\n')).then_some(text.len()), "it does not end with a line break");
    refuse(text.find("${"), "Flyway would replace what `${` begins");
    if let Some(opt_out) = opt_out {
        refuse(text.find(opt_out), "it would run outside a transaction");
    }
    let Pieces { commands, .. } = split(text, Span::new(0, text.len()));
    refuse(commands.first().map(|span| span.start), "only psql knows this line");
    faults
}

fn direction(name: &str, statements: &[String]) -> Vec<Fault> {
    let source = Source::new(name, script(statements));
    let spans = split(source.text(), Span::new(0, source.text().len())).statements;
    let mut faults = Vec::new();
    if spans.len() != statements.len() {
        let message = format!("{} statements were made, and {} are read back", statements.len(), spans.len());
        faults.push(refused(&source, Span::default(), message));
    }
    let heads: Vec<(Span, Vec<String>)> = spans.iter().map(|span| (*span, head(source.slice(*span)))).collect();
    if heads.first().is_some_and(|(_, head)| !starts(head, &["SET", "LOCAL", "LOCK_TIMEOUT"])) {
        faults.push(refused(&source, spans[0], "it does not begin with SET LOCAL lock_timeout"));
    }
    let mut role: Option<Span> = None;
    for (span, head) in &heads {
        if OUTSIDE.iter().any(|words| starts(head, words)) {
            faults.push(refused(&source, *span, "it cannot run in the tool's transaction"));
        }
        let local = starts(head, &["SET", "LOCAL"]);
        if starts(head, &["SET", "ROLE"]) || starts(head, &["SET", "LOCAL", "ROLE"]) {
            role = Some(*span);
        } else if starts(head, &["RESET", "ROLE"]) {
            role = None;
        } else if starts(head, &["SET"]) && !local {
            faults.push(refused(&source, *span, "it would change the tool's session"));
        }
    }
    faults.extend(role.map(|span| refused(&source, span, "the role is never given back, and the tool writes next")));
    faults
}

fn script(statements: &[String]) -> String {
    statements.iter().map(|statement| format!("{statement};\n")).collect()
}

fn starts(head: &[String], words: &[&str]) -> bool {
    head.len() >= words.len() && head.iter().zip(words).all(|(one, other)| one == other)
}

/// The first words of a statement, in capitals.
fn head(statement: &str) -> Vec<String> {
    tokens(statement)
        .into_iter()
        .take(4)
        .map(|token| statement.get(token.span.start..token.span.end).unwrap_or_default().to_ascii_uppercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusals(up: &[&str]) -> Vec<String> {
        let mut statements_up = vec!["SET LOCAL lock_timeout = '5s'".to_owned()];
        statements_up.extend(up.iter().map(|statement| (*statement).to_owned()));
        let migration = Migration {
            version: "1".to_owned(),
            name: "x".to_owned(),
            up: statements_up,
            down: Vec::new(),
            kind: Kind::Ledger,
        };
        statements(&migration).err().map_or_else(Vec::new, |faults| messages(&faults))
    }

    fn messages(faults: &Faults) -> Vec<String> {
        let front = "what would be emitted is refused: ";
        faults.0.iter().map(|fault| fault.message.strip_prefix(front).unwrap().to_owned()).collect()
    }

    #[test]
    fn only_what_one_transaction_can_hold_passes() {
        assert_eq!(refusals(&["CREATE TABLE t ()", "SET LOCAL ROLE x", "RESET ROLE"]), Vec::<String>::new());
        for statement in ["create unique index concurrently i on t (a)", "COMMIT", "/* x */ VACUUM t", "CALL p()"] {
            assert_eq!(refusals(&[statement]), ["it cannot run in the tool's transaction"], "{statement}");
        }
        assert_eq!(refusals(&["SET search_path = x"]), ["it would change the tool's session"]);
        assert_eq!(refusals(&["SET ROLE x"]), ["the role is never given back, and the tool writes next"]);
        assert_eq!(refusals(&["SELECT 1; SELECT 2"]), ["2 statements were made, and 3 are read back"]);
        let up = vec!["SELECT 1".to_owned()];
        let bare = Migration { version: String::new(), name: String::new(), up, down: Vec::new(), kind: Kind::Ledger };
        assert_eq!(messages(&statements(&bare).unwrap_err()), ["it does not begin with SET LOCAL lock_timeout"]);
    }

    #[test]
    fn only_bytes_that_every_tool_reads_alike_pass() {
        let refusals = |layout, text: &str| {
            files(layout, &[OutputFile::new("a.sql", text)], Kind::Ledger)
                .err()
                .map_or_else(Vec::new, |faults| messages(&faults))
        };
        assert!(refusals(Layout::Sqlx, "SELECT 1;\n").is_empty());
        assert_eq!(refusals(Layout::Sqlx, "SELECT '\u{e9}';\r\n").len(), 2);
        assert_eq!(refusals(Layout::Flyway, "SELECT '${x}';").len(), 2);
        assert_eq!(refusals(Layout::Plain, "\\set x 1\n"), ["only psql knows this line"]);
        assert_eq!(refusals(Layout::Sqlx, "-- no-transaction\nSELECT 1;\n"), ["it would run outside a transaction"]);
        assert_eq!(refusals(Layout::Goose, "-- +goose NO TRANSACTION\nSELECT 1;\n").len(), 1);
    }
}
