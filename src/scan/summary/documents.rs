//! GraphQL documents: of each file only what its operations are called and whether they change anything.

use crate::scan::ir::Operation;

/// The operations of a document; fragments and type definitions are none.
#[must_use]
pub fn operations(text: &str) -> Vec<Operation> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    // The keyword of a definition and its name, until its first bracket.
    let mut head: Vec<&str> = Vec::new();
    for word in (Words { rest: text }) {
        match word {
            "{" if depth == 0 => {
                found.extend(operation(&head));
                head.clear();
                depth = 1;
            }
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            word if depth == 0 => head.push(word),
            _ => {}
        }
    }
    found
}

fn operation(head: &[&str]) -> Option<Operation> {
    let changes = match head.first() {
        None | Some(&"query" | &"subscription") => false,
        Some(&"mutation") => true,
        Some(_) => return None,
    };
    Some(Operation { name: head.get(1).map(|name| (*name).to_owned()).unwrap_or_default(), changes })
}

/// Names and brackets; comments, strings and everything else is passed over.
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            self.rest = self.rest.trim_start_matches(|letter: char| {
                !letter.is_alphanumeric() && !matches!(letter, '_' | '#' | '"' | '{' | '}' | '(' | ')' | '[' | ']')
            });
            let first = self.rest.chars().next()?;
            match first {
                '#' => self.skip_past("\n", 1),
                '"' if self.rest.starts_with("\"\"\"") => self.skip_past("\"\"\"", 3),
                '"' => self.skip_past("\"", 1),
                '{' | '}' | '(' | ')' | '[' | ']' => return Some(self.take(1)),
                _ => {
                    let name = |letter: char| letter.is_alphanumeric() || letter == '_';
                    let end = self.rest.find(|letter| !name(letter)).unwrap_or(self.rest.len());
                    return Some(self.take(end));
                }
            }
        }
    }
}

impl<'t> Words<'t> {
    fn take(&mut self, octets: usize) -> &'t str {
        let (word, rest) = self.rest.split_at(octets);
        self.rest = rest;
        word
    }

    fn skip_past(&mut self, end: &str, from: usize) {
        let inner = self.rest.get(from..).unwrap_or_default();
        self.rest = inner.find(end).and_then(|at| inner.get(at + end.len()..)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(String, bool)> {
        operations(text).into_iter().map(|operation| (operation.name, operation.changes)).collect()
    }

    #[test]
    fn operations_are_told_by_their_keyword() {
        let text = "# mutation No { a }\nquery Who { viewer { login } }\nmutation AddStar($id: ID!) @x(y: [1]) { addStar { id } }";
        assert_eq!(shown(text), [("Who".to_owned(), false), ("AddStar".to_owned(), true)]);
    }

    #[test]
    fn a_selection_alone_reads_and_definitions_are_no_operations() {
        assert_eq!(shown("{ viewer { login } }"), [(String::new(), false)]);
        assert_eq!(shown("fragment F on T { a }\ntype Mutation { mutation: Int }\n\"mutation M { a }\" scalar S"), []);
    }

    #[test]
    fn what_does_not_end_is_read_to_the_end() {
        assert_eq!(shown("\"\"\"open mutation M { a }"), []);
        assert_eq!(shown("mutation M {"), [("M".to_owned(), true)]);
        assert_eq!(shown("é \"ü"), []);
    }
}
