//! Files that hold both directions, parted by comment lines (goose, dbmate).

use super::layout::Sections;
use crate::source::Span;

/// The bytes of each direction, markers left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Run on the way up, in this order.
    pub up: Vec<Span>,
    /// Run on the way down.
    pub down: Vec<Span>,
}

/// The parts of a file; a file without markers has none.
#[must_use]
pub fn parts(sections: &Sections, text: &str) -> Parts {
    let mut parts = Parts::default();
    let mut open: Option<(bool, usize)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let end = offset + line.len();
        let upward = is_marker(line, &sections.up);
        if upward || is_marker(line, &sections.down) {
            close(&mut parts, open, offset);
            open = Some((upward, end));
        }
        offset = end;
    }
    close(&mut parts, open, offset);
    parts
}

fn close(parts: &mut Parts, open: Option<(bool, usize)>, end: usize) {
    match open {
        Some((true, start)) => parts.up.push(Span::new(start, end)),
        Some((false, start)) => parts.down.push(Span::new(start, end)),
        None => {}
    }
}

/// Whether a line is the comment `-- marker`, at column 0 as both tools demand, with or without options.
#[must_use]
pub fn is_marker(line: &str, marker: &str) -> bool {
    let Some(comment) = line.strip_prefix("--") else { return false };
    let comment = comment.trim();
    let Some((head, rest)) = comment.split_at_checked(marker.len()) else { return false };
    head.eq_ignore_ascii_case(marker) && !rest.starts_with(|c: char| !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Layout;

    fn read(layout: Layout, text: &str) -> (Vec<&str>, Vec<&str>) {
        let parts = parts(layout.spec().sections.as_ref().unwrap(), text);
        let slices = |spans: &[Span]| spans.iter().map(|span| text.get(span.start..span.end).unwrap()).collect();
        (slices(&parts.up), slices(&parts.down))
    }

    #[test]
    fn both_tools_part_their_files() {
        let (up, down) = read(Layout::Goose, "-- note\n-- +goose Up\nA;\n-- +goose down\nB;\n");
        assert_eq!((up, down), (vec!["A;\n"], vec!["B;\n"]));
        let text = "-- migrate:up transaction:false\nA;\n-- migrate:down\nB;\n--migrate:up\nC;\n-- migrate:down\n";
        let (up, down) = read(Layout::Dbmate, text);
        assert_eq!((up, down), (vec!["A;\n", "C;\n"], vec!["B;\n", ""]));
    }

    #[test]
    fn a_marker_stands_at_the_start_of_its_line_and_alone() {
        assert!(!is_marker(" -- +goose Up", "+goose Up"));
        assert!(!is_marker("-- migrate:upward", "migrate:up"));
        assert!(!is_marker("-- é", "migrate:up"));
        assert_eq!(read(Layout::Goose, "CREATE TABLE t ();\n"), (vec![], vec![]));
    }
}
