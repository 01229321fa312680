//! The benchmark of the SQL lint still runs: its smallest form, once. What it measures is nobody's business here.

#[allow(dead_code, unreachable_pub, reason = "the program's own main and arguments are not used")]
#[path = "bench/lint.rs"]
mod bench;

#[test]
fn both_programs_are_measured_where_both_are_there() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("project/db/migrations");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("V1__first.sql"), "CREATE TABLE acts (k text, s text);\n").unwrap();
    std::fs::write(folder.join("V2__second.sql"), "ALTER TABLE acts ADD UNIQUE (k);\n").unwrap();
    let projects = vec![place.path().join("project"), place.path().join("none")];
    let options = bench::Options { projects, rounds: 1, program: None, bench: false };
    let mut text = String::new();
    bench::measure(&options, |part| text.push_str(part)).unwrap();
    for wanted in ["none: no tool's folder", "| project ", "| all of them ", "processor over squawk"] {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
    // Of two small files the clock alone says something.
    assert_eq!(text.matches(" - |").count(), if text.contains("no squawk") { 4 } else { 2 }, "{text}");
}
