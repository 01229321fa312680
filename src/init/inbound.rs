//! Webhook handlers as sources of events.

use std::collections::{BTreeMap, HashMap};

use crate::catalog::provider::{self, EventIdKind, Inbound, Provider};
use crate::init::{place, quoted};
use crate::manifest::{BLANK, least_retention};
use crate::scan::index::{FnEntry, Index};
use crate::scan::ir::{Body, Expr, ExprId, Lit, Ty};

/// What axum hands a handler the delivery in.
const EXTRACTORS: &[&str] = &["Bytes", "Form", "Json", "Request"];

/// Owners whose name says nothing of the product.
const OWNERS: &[&str] = &["amazon_", "google_", "microsoft_"];

/// One table for each provider that a handler seems to be for, sorted by provider.
pub(super) fn draft_all(index: &Index) -> Vec<String> {
    let mut handlers: BTreeMap<&str, (&Provider, &Inbound, Vec<String>)> = BTreeMap::new();
    let routes = routes(index);
    for id in index.function_ids() {
        let function = index.function(id);
        if function.test || !is_handler(function) {
            continue;
        }
        let words = words_of(index, function, routes.get(function.name.as_str()).map_or(&[], Vec::as_slice));
        for known in provider::all() {
            let Some(inbound) = known.inbound.as_ref().filter(|_| words.iter().any(|word| word == product(known)))
            else {
                continue;
            };
            let entry = handlers.entry(&known.name).or_insert((known, inbound, Vec::new()));
            entry.2.push(place(index, function, function.name_span.start));
        }
    }
    handlers.into_values().map(|(known, inbound, places)| draft(known, inbound, &places)).collect()
}

/// An async function outside a type that takes a delivery as axum gives it.
fn is_handler(function: &FnEntry) -> bool {
    let taken = function.function.params.iter().filter_map(|param| last_name(&param.ty));
    function.function.is_async
        && !function.function.has_self
        && taken.into_iter().any(|name| EXTRACTORS.contains(&name))
}

fn last_name(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Path(path) => path.segments.last().map(|segment| segment.name.as_str()),
        Ty::Ref(_) | Ty::Tuple(_) | Ty::Slice(_) | Ty::Bounds(_) | Ty::Fn(..) | Ty::Other => None,
    }
}

/// The word of a provider's name that people use alone: `whatsapp`, `stripe`, `sns`.
fn product(known: &Provider) -> &str {
    let name = OWNERS.iter().find_map(|owner| known.name.strip_prefix(owner)).unwrap_or(&known.name);
    name.split('_').next().unwrap_or(name)
}

/// `.route("/whatsapp", post(receive))`: the URL paths of each handler, by the last name of its path.
fn routes(index: &Index) -> HashMap<&str, Vec<&str>> {
    let mut routes: HashMap<&str, Vec<&str>> = HashMap::new();
    for body in index.functions.iter().filter_map(|function| function.function.body.as_ref()) {
        for id in body.ids() {
            let Expr::Method { name, args, .. } = body.expr(id) else { continue };
            let [at, methods] = args.as_slice() else { continue };
            let Expr::Lit(Lit::Str(at)) = body.expr(*at) else { continue };
            if name == "route" {
                handlers(body, *methods).into_iter().for_each(|handler| routes.entry(handler).or_default().push(at));
            }
        }
    }
    routes
}

/// What `get(a).post(b)` is given.
fn handlers(body: &Body, methods: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut left = vec![methods];
    while let Some(id) = left.pop() {
        let given = match body.expr(id) {
            Expr::Call { args, .. } => args,
            Expr::Method { receiver, args, .. } => {
                left.push(*receiver);
                args
            }
            // Closures and what else stands here have no name of their own.
            _ => continue,
        };
        names.extend(given.iter().filter_map(|arg| match body.expr(*arg) {
            Expr::Path(path) => path.segments.last().map(|segment| segment.name.as_str()),
            _ => None,
        }));
    }
    names
}

/// The words of the handler's path, of its routes and of its parameters' types, in lower case.
fn words_of(index: &Index, function: &FnEntry, routes: &[&str]) -> Vec<String> {
    // The crate's name says what the program is for, not what this function takes.
    let inside = function.path.split_once("::").map_or("", |(_, inside)| inside);
    let mut text = format!("{inside} {}", routes.join(" "));
    if let Some(file) = index.files.get(function.file) {
        for param in &function.function.params {
            text.push(' ');
            text.push_str(file.source.slice(param.span));
        }
    }
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for letter in text.chars() {
        let starts = !before.is_alphanumeric() || (before.is_lowercase() && letter.is_uppercase());
        if letter.is_alphanumeric() {
            if starts {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        }
        before = letter;
    }
    words
}

fn draft(known: &Provider, inbound: &Inbound, places: &[String]) -> String {
    let mut text = String::from("\n");
    for place in places {
        text.push_str(&format!("# {place}\n"));
    }
    text.push_str(&format!(
        "# its id: {}\n[inbound.{}]\nprovider = {}\n",
        inbound.event_id,
        product(known),
        quoted(&known.name)
    ));
    match event_id(inbound) {
        Some((items, id)) => {
            if let Some(items) = items {
                text.push_str(&format!("items = {}\n", quoted(&items)));
            }
            text.push_str(&format!("event_id = [{}]\n", quoted(&id)));
        }
        None => {
            let blank = format!("{BLANK}: JSON paths or headers that name one event, such as $.id");
            text.push_str(&format!("event_id = [{}]\n", quoted(&blank)));
        }
    }
    text.push_str("mode = \"claim\"\n");
    match inbound.longest_redelivery() {
        Some(redelivery) => {
            let days = least_retention(redelivery.window).as_secs().div_ceil(86_400);
            let sure = redelivery.confidence.name();
            text.push_str(&format!("retention = \"{days}d\"  # {} is {sure}; at least a day more\n", redelivery.field));
        }
        None => {
            let blank = format!("{BLANK}: longer than it sends an event again, which is not known, such as 14d");
            text.push_str(&format!("retention = {}\n", quoted(&blank)));
        }
    }
    text
}

/// Items and id, where the facts put them in one plain place: `header X-GitHub-Delivery`,
/// `body entry[].messaging[].message.mid`.
fn event_id(inbound: &Inbound) -> Option<(Option<String>, String)> {
    let fact = inbound.event_id.strip_prefix("inbound: ").unwrap_or(&inbound.event_id);
    match inbound.event_id_kind {
        EventIdKind::Event => {}
        // Of several kinds of event, those that come in are named by one field; the rest is for people.
        EventIdKind::Composite if fact.len() < inbound.event_id.len() => {}
        EventIdKind::Composite | EventIdKind::None | EventIdKind::Resource => return None,
    }
    let mut words = fact.split([' ', ';']);
    match (words.next()?, words.next()?) {
        ("header", name) => Some((None, format!("header {name}"))),
        ("body", path) => match path.rsplit_once("[]") {
            Some((items, rest)) => {
                let items = items.replace("[]", "[*]");
                let dot = if items.is_empty() { "" } else { "." };
                Some((Some(format!("${dot}{items}[*]")), format!("${rest}")))
            }
            None => Some((None, format!("$.{path}"))),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(name: &str) -> Option<(Option<String>, String)> {
        event_id(provider::find(name).unwrap().inbound.as_ref().unwrap())
    }

    #[test]
    fn ids_are_taken_from_plain_facts_only() {
        let owned = |items: Option<&str>, id: &str| Some((items.map(str::to_owned), id.to_owned()));
        assert_eq!(id_of("github"), owned(None, "header X-GitHub-Delivery"));
        assert_eq!(id_of("stripe"), owned(None, "$.id"));
        assert_eq!(id_of("sendgrid"), owned(Some("$[*]"), "$.sg_event_id"));
        assert_eq!(id_of("whatsapp_cloud"), owned(Some("$.entry[*].changes[*].value.messages[*]"), "$.id"));
        assert_eq!(id_of("mollie"), None);
        assert_eq!(id_of("postmark"), owned(None, "$.MessageID"));
        assert_eq!(id_of("hubspot"), None);
        assert_eq!(id_of("amazon_sqs"), None);
    }

    #[test]
    fn no_two_providers_are_called_by_one_word() {
        let words: std::collections::BTreeSet<_> = provider::all().iter().map(product).collect();
        assert_eq!(words.len(), provider::all().len());
    }

    #[test]
    fn lists_are_sorted() {
        assert!(EXTRACTORS.is_sorted() && OWNERS.is_sorted());
    }

    #[test]
    fn every_source_that_can_be_drafted_loads_once_its_blanks_are_filled() {
        for known in provider::all() {
            let Some(inbound) = &known.inbound else { continue };
            let text = format!("version = 1\n{}", draft(known, inbound, &["src/a.rs:1 in a".to_owned()]));
            let filled = crate::init::tests::fill(&text);
            let source = crate::source::Source::new("onlyonce.toml", filled.clone());
            if let Err(faults) = crate::manifest::check::check(&source, std::path::PathBuf::new(), &[]) {
                panic!("{filled}\n{:?}", faults.0.iter().map(|fault| &fault.message).collect::<Vec<_>>());
            }
        }
    }
}
