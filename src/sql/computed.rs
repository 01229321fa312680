//! What the value of an expression hangs on: of which columns it is made, and when it is NULL.

use std::collections::BTreeSet;

use sqlparser::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};

use super::tokens;
use super::values::{folded, parsed};
use crate::manifest::name::is_sql_keyword;

/// What an expression is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computed {
    /// Names in it that may be columns.
    pub columns: BTreeSet<String>,
    /// Columns that make it NULL when they are.
    pub strict: BTreeSet<String>,
    /// Whether it may be NULL although none of those is.
    pub may_be_null: bool,
}

/// Functions that give NULL for a NULL and for nothing else; sorted.
const STRICT: [&str; 37] = [
    "abs",
    "ascii",
    "bit_length",
    "btrim",
    "char_length",
    "character_length",
    "convert_from",
    "convert_to",
    "decode",
    "digest",
    "encode",
    "hashtext",
    "hashtextextended",
    "hmac",
    "initcap",
    "left",
    "length",
    "lower",
    "lpad",
    "ltrim",
    "md5",
    "normalize",
    "octet_length",
    "quote_ident",
    "regexp_replace",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rpad",
    "rtrim",
    "sha224",
    "sha256",
    "sha512",
    "split_part",
    "translate",
    "upper",
];

/// Reads an expression. Of one that was not understood nothing is known but what it names.
#[must_use]
pub fn computed(expression: &str) -> Computed {
    parsed(expression).map_or_else(|| unknown(expression), |expr| of(&expr))
}

fn of(expr: &Expr) -> Computed {
    match expr {
        Expr::Identifier(name) => column(folded(name)),
        Expr::CompoundIdentifier(parts) => parts.last().map(|name| column(folded(name))).unwrap_or_default(),
        Expr::Value(value) => Computed { may_be_null: value.value == Value::Null, ..Computed::default() },
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => of(inner),
        Expr::Cast { expr: inner, .. } => of(inner),
        Expr::Trim { expr: inner, trim_what: None, .. } => of(inner),
        Expr::BinaryOp { left, op, right } if is_strict(op) => together([of(left), of(right)]),
        Expr::Function(function) => called(function).unwrap_or_else(|| unknown(&expr.to_string())),
        other => unknown(&other.to_string()),
    }
}

fn column(name: String) -> Computed {
    let only = BTreeSet::from([name]);
    Computed { columns: only.clone(), strict: only, may_be_null: false }
}

fn is_strict(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::StringConcat | BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply)
}

fn together(parts: impl IntoIterator<Item = Computed>) -> Computed {
    parts.into_iter().fold(Computed::default(), |mut all, one| {
        all.columns.extend(one.columns);
        all.strict.extend(one.strict);
        all.may_be_null |= one.may_be_null;
        all
    })
}

fn called(function: &Function) -> Option<Computed> {
    let name = function.name.to_string().to_lowercase();
    let name = name.strip_prefix("pg_catalog.").unwrap_or(&name);
    let FunctionArguments::List(list) = &function.args else { return None };
    let argument = |one: &FunctionArg| match one {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(of(expr)),
        _ => None,
    };
    let arguments = list.args.iter().map(argument).collect::<Option<Vec<Computed>>>()?;
    if STRICT.binary_search(&name).is_ok() {
        return Some(together(arguments));
    }
    match name {
        "coalesce" => Some(first_of(arguments)),
        "concat" => Some(Computed { strict: BTreeSet::new(), may_be_null: false, ..together(arguments) }),
        _ => None,
    }
}

/// NULL only where all of them are.
fn first_of(parts: Vec<Computed>) -> Computed {
    let never = parts.iter().any(|one| one.strict.is_empty() && !one.may_be_null);
    let shared = parts.iter().skip(1).fold(parts.first().map(|one| one.strict.clone()), |shared, one| {
        shared.map(|shared| shared.intersection(&one.strict).cloned().collect())
    });
    let may_be_null = !never && (parts.iter().any(|one| one.may_be_null) || parts.len() > 1);
    let strict = if never { BTreeSet::new() } else { shared.unwrap_or_default() };
    Computed { strict, may_be_null, ..together(parts) }
}

fn unknown(expression: &str) -> Computed {
    let words = tokens(expression);
    let is_name = |at: usize| {
        let beside = |at: Option<usize>, mark: &str| {
            at.and_then(|at| words.get(at)).is_some_and(|token| token.is_symbol(expression, mark))
        };
        ![".", "("].iter().any(|mark| beside(at.checked_add(1), mark)) && !beside(at.checked_sub(1), "::")
    };
    let names = words.iter().enumerate().filter(|(at, _)| is_name(*at)).filter_map(|(_, token)| token.name(expression));
    let columns = names.filter(|name| !is_sql_keyword(name)).collect();
    Computed { columns, strict: BTreeSet::new(), may_be_null: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(expression: &str) -> (String, String, bool) {
        let one = computed(expression);
        let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(" ");
        (list(one.columns), list(one.strict), one.may_be_null)
    }

    #[test]
    fn what_makes_a_value_null_is_told() {
        assert!(STRICT.is_sorted());
        for (expression, columns, strict, may_be_null) in [
            ("lower(a)", "a", "a", false),
            ("(a || ':') || b::text", "a b", "a b", false),
            ("coalesce(a, '')", "a", "", false),
            ("coalesce(a, b)", "a b", "", true),
            ("coalesce(a, '') || b", "a b", "b", false),
            ("concat(a, b)", "a b", "", false),
            ("encode(sha256(convert_to(a, 'utf8')), 'hex')", "a", "a", false),
            ("pg_catalog.upper(a) collate \"C\"", "a", "a", false),
        ] {
            assert_eq!(told(expression), (columns.to_owned(), strict.to_owned(), may_be_null), "{expression}");
        }
        for expression in
            ["nullif(a, '')", "case when a = '' then null else a end", "mine.lower(a)", "a -> 'x'", "f(a)"]
        {
            assert_eq!(told(expression), ("a".to_owned(), String::new(), true), "{expression}");
        }
    }
}
