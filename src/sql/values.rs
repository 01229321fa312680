//! What a CHECK allows a column to hold. Here, in [`super::computed`] and in [`super::meaning`] expressions are understood, by sqlparser.

use std::collections::BTreeSet;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Value};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::token::{Token, TokenKind, tokens};

/// Each link of a flat chain (`a OR b OR ..`) is one level of the tree, and dropping a tree takes stack for each level:
/// some 1,200 bytes, of the two megabytes that a thread has.
const MOST_LINKS: usize = 400;

/// What an expression allows a column to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Only these texts, or NULL where `null` says so.
    Only {
        /// The texts.
        values: BTreeSet<String>,
        /// Whether NULL passes: a CHECK whose value is NULL does.
        null: bool,
    },
    /// Anything but NULL.
    NotNull,
    /// Anything, as far as this expression goes.
    Anything,
    /// It names the column, and what it allows was not understood.
    Unknown,
}

/// What `expression`, as a CHECK, allows `column` to hold.
#[must_use]
pub fn allowed(expression: &str, column: &str) -> Allowed {
    let units = tokens(expression);
    if !units.iter().any(|token| token.name(expression).as_deref() == Some(column)) {
        return Allowed::Anything;
    }
    parsed(expression).map_or(Allowed::Unknown, |expr| restriction(&expr, column))
}

/// An expression's tree; `None` where it is too deep or no expression that sqlparser knows.
pub(super) fn parsed(expression: &str) -> Option<Expr> {
    if tokens(expression).iter().filter(|token| links(token, expression)).count() > MOST_LINKS {
        return None;
    }
    let dialect = PostgreSqlDialect {};
    let mut parser = Parser::new(&dialect).try_with_sql(expression).ok()?;
    let expr = parser.parse_expr().ok()?;
    (parser.peek_token().token == sqlparser::tokenizer::Token::EOF).then_some(expr)
}

/// Whether a token can make a chain one level deeper.
fn links(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Symbol => !matches!(token.text(text), "," | "(" | ")" | "."),
        TokenKind::Word => ["and", "is", "not", "or"].iter().any(|word| token.is_word(text, word)),
        TokenKind::Quoted | TokenKind::Text | TokenKind::Dollar | TokenKind::Number | TokenKind::Comment => false,
    }
}

fn restriction(expr: &Expr, column: &str) -> Allowed {
    match expr {
        Expr::Nested(inner) => restriction(inner, column),
        Expr::IsTrue(inner) => without_null(restriction(inner, column)),
        Expr::In { expr, target: InTarget::List(list), negated: false, .. } if is_column(expr, column) => {
            only(list.iter().map(literal).collect())
        }
        Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } if is_column(left, column) => {
            only(array(right).map(|list| list.iter().map(literal).collect()).unwrap_or_default())
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } if is_column(left, column) => only(vec![literal(right)]),
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } if is_column(right, column) => only(vec![literal(left)]),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            both(restriction(left, column), restriction(right, column))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            either(restriction(left, column), restriction(right, column))
        }
        Expr::IsNotNull(inner) if is_column(inner, column) => Allowed::NotNull,
        Expr::IsNull(inner) if is_column(inner, column) => Allowed::Only { values: BTreeSet::new(), null: true },
        other if names(other, column) => Allowed::Unknown,
        _ => Allowed::Anything,
    }
}

fn only(values: Vec<Option<String>>) -> Allowed {
    if values.is_empty() {
        return Allowed::Unknown;
    }
    match values.into_iter().collect::<Option<BTreeSet<String>>>() {
        Some(values) => Allowed::Only { values, null: true },
        None => Allowed::Unknown,
    }
}

fn without_null(allowed: Allowed) -> Allowed {
    match allowed {
        Allowed::Only { values, .. } => Allowed::Only { values, null: false },
        Allowed::NotNull | Allowed::Anything | Allowed::Unknown => allowed,
    }
}

/// Both hold.
fn both(left: Allowed, right: Allowed) -> Allowed {
    match (left, right) {
        (Allowed::Only { values: a, null: x }, Allowed::Only { values: b, null: y }) => {
            Allowed::Only { values: a.intersection(&b).cloned().collect(), null: x && y }
        }
        (only @ Allowed::Only { .. }, Allowed::NotNull) | (Allowed::NotNull, only @ Allowed::Only { .. }) => {
            without_null(only)
        }
        (only @ Allowed::Only { .. }, _) | (_, only @ Allowed::Only { .. }) => only,
        (Allowed::Unknown, _) | (_, Allowed::Unknown) => Allowed::Unknown,
        (Allowed::NotNull, _) | (_, Allowed::NotNull) => Allowed::NotNull,
        (Allowed::Anything, Allowed::Anything) => Allowed::Anything,
    }
}

/// One of them holds.
fn either(left: Allowed, right: Allowed) -> Allowed {
    match (left, right) {
        (Allowed::Only { values: mut a, null: x }, Allowed::Only { values: b, null: y }) => {
            a.extend(b);
            Allowed::Only { values: a, null: x || y }
        }
        (Allowed::Anything, _) | (_, Allowed::Anything) => Allowed::Anything,
        (Allowed::NotNull, Allowed::NotNull) => Allowed::NotNull,
        (Allowed::NotNull, _) | (_, Allowed::NotNull) => Allowed::Anything,
        (Allowed::Unknown, _) | (_, Allowed::Unknown) => Allowed::Unknown,
    }
}

fn is_column(expr: &Expr, column: &str) -> bool {
    match expr {
        Expr::Identifier(name) => folded(name) == column,
        Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|name| folded(name) == column),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_column(inner, column),
        _ => false,
    }
}

pub(super) fn folded(name: &sqlparser::ast::Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::Number(text, _) => Some(text.clone()),
            Value::Boolean(value) => Some(value.to_string()),
            _ => None,
        },
        Expr::Cast { expr, .. } | Expr::Nested(expr) => literal(expr),
        _ => None,
    }
}

fn array(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Array(array) => Some(&array.elem),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => array(inner),
        _ => None,
    }
}

fn names(expr: &Expr, column: &str) -> bool {
    let text = expr.to_string();
    tokens(&text).iter().any(|token| token.name(&text).as_deref() == Some(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(expression: &str) -> Option<(String, bool)> {
        match allowed(expression, "status") {
            Allowed::Only { values, null } => Some((values.into_iter().collect::<Vec<_>>().join(" "), null)),
            Allowed::NotNull | Allowed::Anything | Allowed::Unknown => None,
        }
    }

    #[test]
    fn lists_chains_and_arrays_are_understood() {
        let expected = Some(("a b".to_owned(), true));
        assert_eq!(values("status IN ('a', 'b')"), expected);
        assert_eq!(values("status = 'a' OR ('b'::text = status)"), expected);
        assert_eq!(values("(status)::text = ANY ((ARRAY['a'::character varying, 'b'])::text[])"), expected);
        assert_eq!(values("attempt > 0 AND status IN ('a', 'b', 'c') AND status IN ('a', 'b')"), expected);
        assert_eq!(values("(status IN ('a', 'b')) IS TRUE"), Some(("a b".to_owned(), false)));
        assert_eq!(values("status IS NULL OR status = 'a'"), Some(("a".to_owned(), true)));
        assert_eq!(values("status IS NOT NULL AND status IN ('a')"), Some(("a".to_owned(), false)));
    }

    #[test]
    fn what_restricts_nothing_is_told_from_what_is_not_understood() {
        assert_eq!(allowed("attempt > 0", "status"), Allowed::Anything);
        assert_eq!(allowed("status IN ('a') OR attempt > 0", "status"), Allowed::Anything);
        assert_eq!(allowed("status ~ '^(a|b)$'", "status"), Allowed::Unknown);
        assert_eq!(allowed("status IN (SELECT name FROM states)", "status"), Allowed::Unknown);
        assert_eq!(allowed("status NOT IN ('a')", "status"), Allowed::Unknown);
        assert_eq!(allowed(&vec!["status = 'a'"; 9_000].join(" OR "), "status"), Allowed::Unknown);
    }
}
