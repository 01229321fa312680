//! A filled template into statements that a layout can put its markers around.

use crate::source::Span;
use crate::sql::split::split;

/// The statements of `text` without their semicolons, each with the comments that stand before it.
#[must_use]
pub fn statements(text: &str) -> Vec<String> {
    let mut start = 0;
    split(text, Span::new(0, text.len()))
        .statements
        .iter()
        .map(|span| {
            let piece = text.get(start..span.end).unwrap_or_default().trim().to_owned();
            let rest = text.get(span.end..).unwrap_or_default();
            start = span.end + rest.find(';').map_or(rest.len(), |at| at + 1);
            piece
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_with_what_they_explain() {
        let text = "-- why; indeed\nSELECT 1;\n\n/* two; */ DO $$ BEGIN; END $$ ;\n-- the rest\n";
        assert_eq!(statements(text), ["-- why; indeed\nSELECT 1", "/* two; */ DO $$ BEGIN; END $$"]);
    }
}
