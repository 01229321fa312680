//! Names of methods that are the same on every type.

use crate::scan::ir::ExprId;

/// Methods of a `Result`, an `Option` or a reference around a value, which are none of its own.
pub(super) fn is_of_what_holds_it(name: &str) -> bool {
    const KEEP: [&str; 14] = [
        "clone",
        "expect",
        "unwrap",
        "ok",
        "context",
        "with_context",
        "map_err",
        "as_ref",
        "as_mut",
        "unwrap_or",
        "unwrap_or_else",
        "map",
        "and_then",
        "ok_or_else",
    ];
    KEEP.contains(&name)
}

/// Whether a method answers with what it is called on, whatever that is: clones, unwraps, locks, iterators.
pub(super) fn hands_on(name: &str, args: &[ExprId]) -> bool {
    match name {
        "clone"
        | "to_owned"
        | "as_ref"
        | "as_mut"
        | "as_deref"
        | "as_deref_mut"
        | "unwrap"
        | "ok"
        | "expect"
        | "context"
        | "with_context"
        | "map_err"
        | "ok_or"
        | "ok_or_else"
        | "inspect_err"
        | "cloned"
        | "copied"
        | "unwrap_or_default"
        | "borrow"
        | "borrow_mut"
        | "lock"
        | "read"
        | "write"
        | "try_lock"
        | "try_read"
        | "try_write"
        | "blocking_read"
        | "blocking_write"
        | "read_owned"
        | "write_owned"
        | "lock_owned"
        | "blocking_lock"
        | "into_inner"
        | "load"
        | "load_full"
        | "boxed"
        | "boxed_local"
        | "fuse"
        | "take"
        | "replace"
        | "upgrade"
        | "get_mut"
        | "into"
        | "try_into"
        | "try_clone"
        | "shared"
        | "instrument"
        | "in_current_span"
        | "filter"
        | "deref"
        | "wrap_err"
        | "wrap_err_with"
        | "or_raise"
        | "change_context"
        | "change_context_lazy"
        | "attach"
        | "attach_with"
        | "attach_printable"
        | "attach_printable_lazy"
        | "with_current_subscriber"
        | "or_else"
        | "get_or_insert_with"
        | "iter"
        | "iter_mut"
        | "into_iter"
        | "par_iter"
        | "values"
        | "values_mut"
        | "into_values"
        | "rev"
        | "skip"
        | "chunks"
        | "drain"
        | "peekable"
        | "step_by"
        | "as_slice"
        | "into_future"
        | "compat"
        | "to_vec" => true,
        "get" | "get_or_init" | "get_or_try_init" | "join" => args.is_empty(),
        _ => false,
    }
}

/// Whether a method without arguments is named after the client that it gives.
pub(super) fn is_client(name: &str) -> bool {
    matches!(name, "api" | "bot" | "client" | "connection" | "http_client" | "sdk" | "session")
}
