//! What bears its own mark, so that the other side knows a second one for the first: transactions of chains that are
//! signed before they are handed in. And remote procedures of which only the run knows the name.

use crate::catalog::call::Effect;
use crate::scan::guards::Act;
use crate::scan::ir::{Body, Expr, ExprId, Lit, MacroShape, Pat, Path};
use crate::scan::rules::Context;
use crate::scan::sinks::recipes::words;
use crate::scan::sinks::uses::chain;
use crate::scan::site::Site;
use crate::scan::types::binding::name_of;
use crate::scan::types::value::Scope;

/// What is handed in to a chain.
const HANDED_IN: [&str; 9] =
    ["block", "boc", "bundle", "envelope", "extrinsic", "transaction", "tx", "txn", "transfer_envelope"];
/// Words that say that it is signed already, or in the form that signed ones have.
const SIGNED: [&str; 10] =
    ["base64", "blob", "broadcast", "bytes", "byte", "encoded", "hex", "raw", "serialized", "signed"];
/// Chains whose clients take nothing but what is signed.
const CHAINS: [&str; 11] =
    ["aptos", "bitcoin", "electrum", "esplora", "jito", "near", "solana", "soroban", "stellar", "sui", "tendermint"];

/// Whether it is a signed transaction: its signature, and the number or block in it, make it the same one.
pub(super) fn is_signed(context: &Context<'_, '_, '_>, site: &Site, act: &Act) -> bool {
    if !matches!(act.effect, Effect::Charge | Effect::Mutate | Effect::Send) {
        return false;
    }
    let api = &site.sink.api;
    let method = words(api.rsplit("::").next().unwrap_or_default());
    let of_chain = api.split("::").next().is_some_and(|first| CHAINS.iter().any(|chain| first.contains(chain)));
    if is_handed_in_signed(&method) || of_chain && hands_in(&method) {
        return true;
    }
    if act.http_method.as_deref() != Some("POST") {
        return false;
    }
    if act.url.as_deref().is_some_and(|url| is_handed_in_signed(&words(url))) {
        return true;
    }
    let entry = context.guards.types.index.function(act.function);
    let of_param = |pat: &Pat| matches!(pat, Pat::Bind { name, .. } if is_signed_value(&words(name)));
    is_handed_in_signed(&words(&entry.name)) || entry.function.params.iter().any(|param| of_param(&param.pat))
}

/// `send_raw_transaction`, `broadcast_tx`.
fn is_handed_in_signed(said: &[String]) -> bool {
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    has(&HANDED_IN) && has(&["broadcast", "raw", "signed", "serialized"])
        || said.first().is_some_and(|first| matches!(first.as_str(), "send" | "submit"))
            && has(&["boc", "bundle", "envelope"])
}

/// `send_and_confirm_transaction`, `submit_tx`.
fn hands_in(said: &[String]) -> bool {
    let verb = said.first().is_some_and(|first| matches!(first.as_str(), "broadcast" | "execute" | "send" | "submit"));
    verb && said.iter().any(|word| HANDED_IN.contains(&word.as_str()))
}

/// `tx_hex`, `signed_tx`, `boc`.
fn is_signed_value(said: &[String]) -> bool {
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    has(&["boc"]) && said.len() == 1 || has(&HANDED_IN) && has(&SIGNED)
}

/// What is said of a remote procedure whose name stands in the request.
pub(super) enum Procedure<'b> {
    /// This one.
    Named(&'b str),
    /// Only the run knows: whoever passes calls on reads with most of them.
    AtRunTime,
}

/// The remote procedure that an act asks for, where it asks for one at all: by JSON-RPC, or by a client that takes its
/// name.
pub(super) fn procedure<'a>(context: &Context<'_, '_, 'a>, site: &Site, act: &Act) -> Option<Procedure<'a>> {
    let body = context.guards.types.body(Scope::Fn(act.function))?;
    if act.http_method.is_none() {
        let mut names = site.sink.api.rsplit("::");
        let by_name = names.next().is_some_and(|last| {
            matches!(last, "call" | "call_raw" | "call_typed" | "execute" | "raw_request" | "request" | "rpc" | "send")
        });
        let of_rpc = site.sink.api.to_lowercase().contains("rpc") || site.sink.api.ends_with("::raw_request");
        if !by_name || !of_rpc {
            return None;
        }
        let (_, _, args) = chain(body, act.expr).into_iter().next()?;
        return Some(named(context, act, body, *args.first()?));
    }
    if act.http_method.as_deref() != Some("POST") {
        return None;
    }
    let looked = context.remote.borrow().get(&act.function).copied();
    let method = looked.unwrap_or_else(|| {
        let method = body.ids().find_map(|id| json_rpc(body, id));
        context.remote.borrow_mut().insert(act.function, method);
        method
    });
    if let Some(method) = method {
        return Some(named(context, act, body, method));
    }
    passes_on(context, act).then_some(Procedure::AtRunTime)
}

/// `send_raw_request(method: &str, params)`: it is given what to call and with what.
fn passes_on(context: &Context<'_, '_, '_>, act: &Act) -> bool {
    let params = &context.guards.types.index.function(act.function).function.params;
    let is_given = |wanted: &[&str]| {
        params.iter().any(|param| matches!(&param.pat, Pat::Bind { name, .. } if wanted.contains(&name.as_str())))
    };
    is_given(&["method", "rpc_method"]) && is_given(&["args", "params"])
}

/// By its name where that stands here, or else by what callers name: one that changes something, before others.
fn named<'a>(context: &Context<'_, '_, 'a>, act: &Act, body: &'a Body, id: ExprId) -> Procedure<'a> {
    if let Some(name) = written(body, id) {
        return Procedure::Named(name);
    }
    let entry = context.guards.types.index.function(act.function);
    let Some(name) = name_of(body, id) else { return Procedure::AtRunTime };
    let Some(position) = entry
        .function
        .params
        .iter()
        .position(|param| matches!(&param.pat, Pat::Bind { name: bound, .. } if bound == name))
    else {
        return Procedure::AtRunTime;
    };
    let calls = context.flow.graph.callers(context.guards.types, act.function);
    let names = calls.filter_map(|call| {
        let body = context.flow.body(call.caller)?;
        let arg = match body.expr(call.expr) {
            Expr::Call { args, .. } => args.get(position),
            Expr::Method { args, .. } => args.get(position.checked_sub(usize::from(entry.function.has_self))?),
            _ => None,
        };
        written(body, *arg?)
    });
    let mut changing = names.filter(|name| accrues_by_name(name));
    changing.next().map_or(Procedure::AtRunTime, Procedure::Named)
}

/// The name as it is written: a text, a variant `Request::Pay(..)`, a struct `PayRequest { .. }`.
fn written(body: &Body, id: ExprId) -> Option<&str> {
    match body.expr(id) {
        Expr::Lit(Lit::Str(name)) => Some(name),
        Expr::Ref(inner) => written(body, *inner),
        // `"sendtoaddress".to_owned()`
        Expr::Method { receiver, args, .. } if args.is_empty() => written(body, *receiver),
        Expr::Call { callee, .. } => match body.expr(*callee) {
            Expr::Path(path) => variant(path),
            _ => None,
        },
        Expr::Struct { path, .. } => path.segments.last().map(|last| last.name.as_str()),
        Expr::Path(path) => variant(path),
        _ => None,
    }
}

fn variant(path: &Path) -> Option<&str> {
    let last = path.segments.last().filter(|_| path.segments.len() > 1)?;
    last.name.starts_with(char::is_uppercase).then_some(last.name.as_str())
}

/// `eth_sendTransaction`, `wallet.transfer`, `FundchannelRequest`: what the name of a remote procedure says.
pub(super) fn accrues_by_name(name: &str) -> bool {
    const SPENDS: [&str; 6] = ["fundchannel", "openchannel", "pay", "transfer", "withdraw", "xpay"];
    let said = words(name.strip_suffix("Request").unwrap_or(name));
    let accrues = |word: &String| super::ACCRUES.contains(&word.as_str()) || SPENDS.contains(&word.as_str());
    // `sendtoaddress`: in one word.
    let begins =
        |word: &String| ["send", "fund"].iter().any(|verb| word.starts_with(verb)) && word != "sendrawtransaction";
    let signed =
        name == "sendTransaction" || said.iter().any(|word| matches!(word.as_str(), "raw" | "bundle" | "broadcast"));
    !signed && said.iter().any(|word| accrues(word) || begins(word))
}

/// The method of `json!({ "jsonrpc": "2.0", "method": .. })`, of `Request { jsonrpc: .., method: .. }`.
fn json_rpc(body: &Body, id: ExprId) -> Option<ExprId> {
    match body.expr(id) {
        Expr::Struct { fields, .. } if fields.iter().any(|(name, _)| name == "jsonrpc") => {
            let (_, method) = fields.iter().find(|(name, _)| name == "method")?;
            Some(*method)
        }
        Expr::Macro(of) => {
            let MacroShape::Map(pairs) = &of.shape else { return None };
            pairs.iter().find(|(name, _)| name == "jsonrpc")?;
            let (_, method) = pairs.iter().find(|(name, _)| name == "method")?;
            Some(*method)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_transaction_is_told_by_its_words() {
        for name in
            ["send_raw_transaction", "broadcast_tx", "eth_sendRawTransaction", "send_bundle", "submit_signed_extrinsic"]
        {
            assert!(is_handed_in_signed(&words(name)), "{name}");
        }
        for name in ["send_transaction", "broadcast_message", "send_raw_email", "create_transaction"] {
            assert!(!is_handed_in_signed(&words(name)), "{name}");
        }
        assert!(
            is_signed_value(&words("tx_hex")) && is_signed_value(&words("signed_tx")) && is_signed_value(&words("boc"))
        );
        assert!(!is_signed_value(&words("tx")) && !is_signed_value(&words("raw_message")));
    }
}
