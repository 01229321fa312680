//! Findings as cargo tells of rustc's: `compiler-message` and `build-finished`, a JSON object a line, so that
//! rust-analyzer shows them in the editor.
//!
//! The code is `onlyonce::<rule>`: rust-analyzer shows what stands before `::` as the source. Paths are seen from where
//! the command runs, which for rust-analyzer is the root of the workspace.

use std::path::Path;

use serde_json::{Value, json};

use crate::diagnostic::{Finding, Label};
use crate::gate::Checked;
use crate::gate::place::{Place, seen_from};
use crate::report::human;
use crate::scan::index::Package;

/// The lines. `folder` is where the command runs; `failed` is whether the check fails.
#[must_use]
pub fn messages(checked: &Checked, place: &Place, folder: &Path, failed: bool) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let packages = checked.scanned.as_ref().map_or(&[][..], |scanned| &scanned.packages);
    let told = Told { place, folder: &folder, packages };
    let finished = json!({ "reason": "build-finished", "success": !failed });
    let lines = checked.findings.iter().map(|finding| told.message(finding)).chain([finished]);
    lines.map(|line| format!("{line}\n")).collect()
}

struct Told<'a> {
    place: &'a Place,
    folder: &'a Path,
    packages: &'a [Package],
}

impl Told<'_> {
    fn message(&self, finding: &Finding) -> Value {
        let name = finding.place.source.name();
        let package = self.packages.iter().filter(|package| holds(&package.folder, name));
        let package = package.max_by_key(|package| package.folder.len());
        let folder = self.place.on_disk(package.map_or("", |package| package.folder.as_str()));
        let (id, manifest) = (self.id(package, &folder), folder.join("Cargo.toml"));
        json!({
            "reason": "compiler-message",
            "package_id": id,
            "manifest_path": manifest.to_string_lossy(),
            "target": self.target(package, name),
            "message": self.diagnostic(finding),
        })
    }

    /// As cargo writes the identity of a package that stands in a folder, without its version.
    fn id(&self, package: Option<&Package>, folder: &Path) -> String {
        let name = package.map_or("onlyonce", |package| package.name.as_str());
        format!("path+file://{}#{name}", folder.to_string_lossy())
    }

    fn target(&self, package: Option<&Package>, file: &str) -> Value {
        let library = package.is_some_and(|package| package.has_library);
        let name = package.map_or("onlyonce", |package| if library { &package.library } else { &package.name });
        let kind = if library || package.is_none() { "lib" } else { "bin" };
        let root = package.and_then(|package| package.roots.first()).map_or(file, String::as_str);
        json!({
            "kind": [kind], "crate_types": [kind], "name": name,
            "src_path": self.place.on_disk(root).to_string_lossy(),
            "edition": "2024", "doc": true, "doctest": false, "test": true,
        })
    }

    fn diagnostic(&self, finding: &Finding) -> Value {
        let help = finding.help.iter().map(|help| {
            json!({ "message": help, "code": null, "level": "help", "spans": [], "children": [], "rendered": null })
        });
        let related = finding.related.iter().map(|label| self.span(label, false));
        let spans: Vec<Value> = std::iter::once(self.span(&finding.place, true)).chain(related).collect();
        let text = human::findings_alone(std::slice::from_ref(finding), human::Style::default());
        json!({
            "$message_type": "diagnostic",
            "message": finding.message,
            "code": { "code": format!("onlyonce::{}", finding.rule), "explanation": null },
            "level": finding.level.name(),
            "spans": spans,
            "children": help.collect::<Vec<_>>(),
            "rendered": text,
        })
    }

    fn span(&self, label: &Label, primary: bool) -> Value {
        let (source, span) = (&label.source, label.span);
        let (start, end) = (source.position(span.start), source.position(span.end));
        json!({
            "file_name": self.shown(source.name()),
            "byte_start": span.start, "byte_end": span.end,
            "line_start": start.line, "line_end": end.line,
            "column_start": start.column, "column_end": end.column,
            "is_primary": primary,
            "text": text(label),
            "label": if label.text.is_empty() { Value::Null } else { label.text.as_str().into() },
            "suggested_replacement": null, "suggestion_applicability": null, "expansion": null,
        })
    }

    /// From where the command runs, or from the disk's root for what stands outside.
    fn shown(&self, name: &str) -> String {
        let path = self.place.on_disk(name);
        if path.starts_with(self.folder) { seen_from(self.folder, &path) } else { path.to_string_lossy().into_owned() }
    }
}

/// Whether a file stands in a folder; everything stands in the one without a name.
fn holds(folder: &str, file: &str) -> bool {
    folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The lines that the label stands on, each with the columns that it covers.
fn text(label: &Label) -> Vec<Value> {
    let source = &label.source;
    let (start, end) = (source.position(label.span.start), source.position(label.span.end));
    let lines = (start.line..=end.line).map(|number| {
        let line = source.slice(source.line(number)).trim_end_matches('\r');
        let from = if number == start.line { start.column } else { 1 };
        let to = if number == end.line { end.column } else { line.chars().count() + 1 };
        json!({ "text": line, "highlight_start": from, "highlight_end": to })
    });
    lines.collect()
}
