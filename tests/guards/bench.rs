//! Scans a small program and tells what is said of it.

use std::fs;
use std::path::Path;

use onlyonce::catalog::Catalog;
use onlyonce::manifest::{self, Manifest};
use onlyonce::scan::site::{GuardKind, Verdict};
use onlyonce::scan::{self, Judged, Settings};

/// Actions `send_reply` and, of a model, `draft_reply`; nothing else that a test does not add.
pub(super) const MANIFEST: &str = r#"
version = 1

[action.send_reply]
summary = "Reply to a customer"
same_when = "it answers the same inbound message at the same step"
key = ["inbound_message_id: text", "conversation_step: integer"]
"#;

const USES: &str = "#![allow(dead_code)]\nuse crate::onlyonce::{keys, Ledger, Permit, Reservation, Slot};\n";

/// A program of one file, and what was said of it.
pub(super) struct Program {
    pub(super) judged: Judged,
    source: String,
}

/// Scans `src/lib.rs` of this text (names of the client are imported) with the usual manifest.
pub(super) fn program(text: &str) -> Program {
    program_with(MANIFEST, text)
}

/// The same with this manifest.
pub(super) fn program_with(manifest: &str, text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let source = format!("{USES}{text}");
    let files = [("src/lib.rs", source.as_str()), ("onlyonce.toml", manifest), ("Cargo.toml", CARGO)];
    for (name, text) in files {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
    }
    let manifest = load(folder.path());
    let scan = scan::scan(folder.path(), Catalog::embedded(), &Settings::default(), &|_| {}).unwrap();
    Program { judged: scan.judge(Catalog::embedded(), Some(&manifest), jiff::civil::date(2026, 11, 29)), source }
}

const CARGO: &str = "[package]\nname = \"acme\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.13\"\ntokio = \"1\"\nuuid = \"1\"\nasync-stripe = \"0.41\"\n";

fn load(folder: &Path) -> Manifest {
    manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &scan::rules::names())
        .unwrap_or_else(|faults| panic!("{faults:?}"))
}

impl Program {
    /// The verdict and guard of the one outbound call.
    pub(super) fn only(&self) -> (Verdict, Option<(GuardKind, Option<&str>)>) {
        assert_eq!(self.judged.sites.len(), 1, "{:#?}", self.judged.sites);
        let site = &self.judged.sites[0];
        (site.verdict, site.guard.as_ref().map(|guard| (guard.kind, guard.action.as_deref())))
    }

    /// Demands that the one outbound call is guarded so.
    #[track_caller]
    pub(super) fn is_guarded(&self, kind: GuardKind, action: Option<&str>) {
        assert_eq!(self.only(), (Verdict::Guarded, Some((kind, action))), "{}", self.source);
        assert!(!self.says("unguarded-send"), "{:#?}", self.judged.outcome.findings);
    }

    /// Demands that the one outbound call is not guarded, and is told of.
    #[track_caller]
    pub(super) fn is_unguarded(&self) {
        assert_eq!(self.only(), (Verdict::Unguarded, None), "{}", self.source);
        assert!(self.says("unguarded-send"), "{:#?}", self.judged.outcome.findings);
    }

    /// Demands that it cannot be told whether the one outbound call is guarded, with these words in the reason.
    #[track_caller]
    pub(super) fn is_undecided(&self, why: &str) {
        assert_eq!(self.only(), (Verdict::Undecided, None), "{}", self.source);
        let told =
            |finding: &onlyonce::diagnostic::Finding| finding.rule == "undecided-send" && finding.message.contains(why);
        assert!(self.judged.outcome.findings.iter().any(told), "{:#?}", self.judged.outcome.findings);
    }

    /// Whether a finding of this rule was made.
    pub(super) fn says(&self, rule: &str) -> bool {
        self.judged.outcome.findings.iter().any(|finding| finding.rule == rule)
    }

    /// The findings of this rule, each as the code that it points at.
    pub(super) fn places(&self, rule: &str) -> Vec<&str> {
        let of_rule = self.judged.outcome.findings.iter().filter(|finding| finding.rule == rule);
        of_rule.map(|finding| finding.place.source.slice(finding.place.span)).map(|code| self.own(code)).collect()
    }

    fn own(&self, code: &str) -> &str {
        let at = self.source.find(code).unwrap_or_else(|| panic!("`{code}` is not of the program"));
        &self.source[at..at + code.len()]
    }
}
