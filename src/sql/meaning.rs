//! Whether two expressions mean the same: as somebody wrote one, and as a server shows it again.

use std::ops::ControlFlow;

use sqlparser::ast::{Array, BinaryOperator, DataType, Expr, InTarget, Value, ValueWithSpan, VisitMut, VisitorMut};

use super::values::parsed;

/// Whether both mean the same as far as can be told: equal texts do, and what PostgreSQL makes of the one when it keeps
/// it. Two that are not understood are different unless their texts are equal.
#[must_use]
pub fn same(one: &str, other: &str) -> bool {
    one == other || matches!((plain(one), plain(other)), (Some(one), Some(other)) if one == other)
}

/// The tree in the form that the server keeps, without what it adds.
fn plain(expression: &str) -> Option<Expr> {
    let mut expr = parsed(expression)?;
    let ControlFlow::Continue(()) = VisitMut::visit(&mut expr, &mut Plain) else { return None };
    Some(expr)
}

struct Plain;

impl VisitorMut for Plain {
    type Break = ();

    /// Inner expressions come first, and are plain by now.
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(plainer) = plainer(expr) {
            *expr = plainer;
        }
        ControlFlow::Continue(())
    }
}

fn plainer(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Nested(inner) => Some((**inner).clone()),
        // The server says of each constant which type it took it for.
        Expr::Cast { expr: inner, data_type, .. } => match &**inner {
            Expr::Value(value) => Some(literal(&value.value)),
            Expr::Array(_) => Some((**inner).clone()),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) if *data_type == DataType::Text => {
                Some((**inner).clone())
            }
            _ => None,
        },
        Expr::TypedString(typed) => Some(literal(&typed.value.value)),
        Expr::Interval(interval) => match &*interval.value {
            Expr::Value(value) if interval.leading_field.is_none() => Some(literal(&value.value)),
            _ => None,
        },
        Expr::Between { expr, negated: false, low, high } => Some(operation(
            operation((**expr).clone(), BinaryOperator::GtEq, (**low).clone()),
            BinaryOperator::And,
            operation((**expr).clone(), BinaryOperator::LtEq, (**high).clone()),
        )),
        Expr::In { expr, target: InTarget::List(list), negated, .. } => Some(list_of(expr, list, *negated)),
        _ => None,
    }
}

fn operation(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// `IN (..)` is kept as a comparison with each element of an array, and with one element as a comparison.
fn list_of(left: &Expr, list: &[Expr], negated: bool) -> Expr {
    let compare_op = if negated { BinaryOperator::NotEq } else { BinaryOperator::Eq };
    let left = Box::new(left.clone());
    if let [only] = list {
        return Expr::BinaryOp { left, op: compare_op, right: Box::new(only.clone()) };
    }
    let right = Box::new(Expr::Array(Array { elem: list.to_vec(), named: true }));
    if negated {
        Expr::AllOp { left, compare_op, right }
    } else {
        Expr::AnyOp { left, compare_op, right, is_some: false }
    }
}

/// A constant as it is written; an interval of no time has two ways.
fn literal(value: &Value) -> Expr {
    let value = match value {
        Value::SingleQuotedString(text) if text == "00:00:00" => Value::SingleQuotedString("0".to_owned()),
        other => other.clone(),
    };
    Expr::Value(ValueWithSpan { value, span: sqlparser::tokenizer::Span::empty() })
}

#[cfg(test)]
mod tests {
    use crate::sql::cursor::normal_text;

    fn same(one: &str, other: &str) -> bool {
        super::same(&normal_text(one), &normal_text(other))
    }

    #[test]
    fn what_a_server_shows_again_is_what_was_written() {
        for (written, shown) in [
            ("status IN ('a', 'b')", "(status = ANY (ARRAY['a'::text, 'b'::text]))"),
            ("status NOT IN ('a', 'b')", "(status <> ALL (ARRAY['a'::text, 'b'::text]))"),
            ("status IN ('a')", "(status = 'a'::text)"),
            (
                "octet_length(name) BETWEEN 1 AND 200 AND name !~ '[^!-~]'",
                "(((octet_length(name) >= 1) AND (octet_length(name) <= 200)) AND (name !~ '[^!-~]'::text))",
            ),
            ("budget > interval '0'", "(budget > '00:00:00'::interval)"),
            ("limit_at >= 2 * budget", "(limit_at >= ((2)::double precision * budget))"),
            (
                "(keep IS NULL OR keep > interval '0') AND late",
                "(((keep IS NULL) OR (keep > '00:00:00'::interval)) AND late)",
            ),
            ("(status = 'a') = (done_at IS NOT NULL)", "((status = 'a'::text) = (done_at IS NOT NULL))"),
            (
                "case kind when 'm' then least(a, b) else b end",
                "CASE kind\n    WHEN 'm'::text THEN LEAST(a, b)\n    ELSE b\nEND",
            ),
            ("'-infinity'", "'-infinity'::timestamp with time zone"),
        ] {
            assert!(same(written, shown), "{written}");
        }
    }

    #[test]
    fn what_means_something_else_is_told_from_it() {
        for (one, other) in [
            ("status IN ('a', 'b')", "status = ANY (ARRAY['a'::text, 'c'::text])"),
            ("status IN ('a', 'b')", "status <> ALL (ARRAY['a'::text, 'b'::text])"),
            ("a AND b OR c", "a AND (b OR c)"),
            ("attempt >= 1", "attempt >= 0"),
            ("n BETWEEN 1 AND 2", "n >= 1 AND n < 2"),
            ("is_sound(a, b)", "is_sound(b, a)"),
            ("n::text = '1'", "n = 1"),
            ("true", "only_row"),
        ] {
            assert!(!same(one, other), "{one}");
        }
    }
}
