//! What a request does: its method, its URL by recipe, and the words around it.

use crate::catalog::call::Effect;
use crate::scan::index::FnId;
use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::sinks::classify::{
    asks_for_sends, by_recipe, comes_before, get_effect, hands_in_a_file, is_kept_there, is_named_as_send,
    is_plain_name, last_words, measures, reads_by_post, worst_verb,
};
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::purpose::exchanges_credentials;
use crate::scan::sinks::recipes::{
    Address, is_of_certificates, is_of_payments, recipes, says, takes_payments, told_by, told_by_name, words,
};
use crate::scan::sinks::request::Asked;
use crate::scan::sinks::verbs::writes;
use crate::scan::sinks::{Context, Coverage};
use crate::scan::site::{AskedFor, ProviderKey};
use crate::scan::types::binding::bound_of;
use crate::scan::types::known::verb_of;
use crate::scan::types::requests::is_method_setter;
use crate::scan::types::ty::Type;
use crate::scan::types::value::{Methods, Request, Scope, shown};

/// What is said of a call.
#[derive(Clone, Debug)]
pub struct Told {
    /// What it does.
    pub effect: Effect,
    /// What decided it.
    pub reason: String,
    /// Why it cannot be told.
    pub undecided: Option<String>,
    /// HTTP method.
    pub http_method: Option<String>,
    /// The URL's literal part.
    pub url: Option<String>,
    /// A PUT or DELETE that its own URL makes repeatable.
    pub natural: bool,
    /// A key in a header.
    pub key: Option<ProviderKey>,
    /// The calls that decide it.
    pub asked: Vec<AskedFor>,
}

impl Told {
    /// An effect and what decided it.
    #[must_use]
    pub fn of(effect: Effect, reason: &str) -> Told {
        Told {
            effect,
            reason: reason.to_owned(),
            undecided: None,
            http_method: None,
            url: None,
            natural: false,
            key: None,
            asked: Vec::new(),
        }
    }
}

/// How many addresses of one request are looked at.
const ADDRESSES: usize = 24;

impl<'a> Context<'_, 'a> {
    /// What an HTTP request does, the worst that any caller asks for; none when it stays on this machine.
    pub(super) fn request_effect(
        &self,
        leaving: &Leaving<'a, '_>,
        holder: Option<ExprId>,
        coverage: &mut Coverage,
    ) -> Option<Told> {
        let value = holder.map(|holder| self.eval.value(leaving.scope, holder)).unwrap_or_default();
        let mut request = value.as_request();
        if request == Request::default() {
            request = self.begun_by_shape(leaving, holder);
        }
        if let Some(body) = self.types.body(leaving.scope) {
            self.later_setters(leaving.scope, body, holder, &mut request);
        }
        self.told_request(leaving, &request, coverage)
    }

    /// The request that a chain begins with a verb, when what it begins on has no type.
    fn begun_by_shape(&self, leaving: &Leaving<'a, '_>, holder: Option<ExprId>) -> Request {
        let (Some(body), Some(holder)) = (self.types.body(leaving.scope), holder) else { return Request::default() };
        let chain = super::uses::chain(body, holder);
        let Some((_, name, args)) = chain.into_iter().find(|(_, name, args)| super::shape::begins(name, args)) else {
            return Request::default();
        };
        let (methods, url) = match verb_of(name) {
            Some(verb) => (Methods::one(verb), args.first()),
            None => (
                args.first()
                    .map_or_else(Methods::runtime, |method| self.eval.value(leaving.scope, *method).as_methods()),
                args.get(1),
            ),
        };
        let urls = url.map_or_else(Vec::new, |url| self.eval.texts(leaving.scope, *url));
        Request { methods, urls, ..Request::default() }
    }

    /// The same for a request that is already made out.
    pub(super) fn told_request(
        &self,
        leaving: &Leaving<'a, '_>,
        request: &Request,
        coverage: &mut Coverage,
    ) -> Option<Told> {
        let asked = self.asked(leaving.function, request);
        if asked.iter().any(|asked| asked.request.methods.runtime) {
            coverage.runtime_methods += 1;
        }
        let many = asked.len() > 1;
        let told: Vec<(&Asked, Told)> =
            asked.iter().filter_map(|asked| Some((asked, self.one_request(asked, many)?))).collect();
        let mut worst = told.iter().map(|(_, told)| told).max_by_key(|told| told.effect)?.clone();
        worst.key = self.header_key(request);
        worst.asked = told.into_iter().filter_map(|(asked, told)| self.asked_for(asked, told)).collect();
        Some(worst)
    }

    /// What a call asks for, when one decides.
    fn asked_for(&self, asked: &Asked, told: Told) -> Option<AskedFor> {
        let Told { effect, reason, http_method, url, natural, .. } = told;
        let provider_key = self.header_key(&asked.request);
        let calls = asked.calls.clone();
        (!calls.is_empty()).then_some(AskedFor { calls, effect, reason, http_method, url, natural, provider_key })
    }

    /// `*request.method_mut() = Method::POST` in a statement of its own.
    fn later_setters(&self, scope: Scope, body: &Body, holder: Option<ExprId>, request: &mut Request) {
        let Some(holder) = holder else { return };
        let at = body.base(holder);
        let Expr::Path(path) = body.expr(at) else { return };
        let Some(name) = path.ident() else { return };
        let Some(whole) = self.types.body(scope) else { return };
        let bound = bound_of(&self.eval, scope, whole, at, name);
        for (method, right) in self.eval.changes(scope, whole).placed.of(name, bound) {
            match *method {
                method if is_method_setter(method) => request.methods = self.eval.value(scope, *right).as_methods(),
                "uri_mut" | "url_mut" => request.urls = self.eval.texts(scope, *right),
                _ => {}
            }
        }
    }

    fn header_key(&self, request: &Request) -> Option<ProviderKey> {
        let header = request.headers.iter().find(|header| {
            header.name.contains("idempotency")
                || matches!(
                    header.name.as_str(),
                    "nats-msg-id" | "paypal-request-id" | "x-request-key" | "stripe-idempotency" | "x-goog-request-id"
                )
        })?;
        let (Scope::Fn(function), value) = header.value else { return None };
        Some(ProviderKey { door: format!("header {}", header.name), value, function })
    }

    /// One request as it is asked for.
    fn one_request(&self, asked: &Asked, many: bool) -> Option<Told> {
        let request = &asked.request;
        let verbs: Vec<&str> = request.methods.known.iter().map(|verb| &**verb).collect();
        let open = request.methods.runtime || verbs.is_empty();
        let addresses: Vec<(String, Address)> =
            request.urls.iter().map(|url| (shown(url), Address::of(&shown(url)))).collect();
        if !addresses.is_empty() && addresses.iter().all(|(_, address)| self.stays_here(address)) {
            return None;
        }
        let mut outside = addresses.into_iter().filter(|(_, address)| !self.stays_here(address));
        let (mut url, address) = outside.next().unwrap_or_default();
        let verb = worst_verb(&verbs, open);
        let mut told = match verb {
            "GET" => get_effect(&address, &self.names_of(&asked.by)),
            verb => self.write_effect(verb, &address, request, asked, many),
        };
        // Of several addresses that which does most counts: `endpoint.path()` of any endpoint.
        if verb == "POST" {
            for (other, address) in outside.take(ADDRESSES) {
                let more = self.write_effect(verb, &address, request, asked, many);
                if more.effect > told.effect {
                    (told, url) = (more, other);
                }
            }
        }
        if open {
            told.reason = if request.base.is_some() || !request.methods.params.is_empty() {
                format!("the method is a parameter; {}", told.reason)
            } else {
                format!("the method is told at run time; {}", told.reason)
            };
        } else {
            told.http_method = Some(verb.to_owned());
        }
        told.natural =
            matches!(verb, "PUT" | "DELETE") && !open && told.effect == Effect::Mutate && url.ends_with("{}");
        told.url = (!url.is_empty()).then_some(url);
        Some(told)
    }

    fn stays_here(&self, address: &Address) -> bool {
        address.unix || address.is_at(&recipes().local.hosts) || address.is_at(&self.settings.internal_hosts)
    }

    fn write_effect(&self, verb: &str, address: &Address, request: &Request, asked: &Asked, many: bool) -> Told {
        let recipes = recipes();
        let names = self.names_of(&asked.by);
        let name = names.first().copied().unwrap_or_default();
        if let Some(told) = by_recipe(verb, address, request) {
            return told;
        }
        if self.sends_queries_alone(&asked.by) {
            return Told::of(Effect::Read, "its GraphQL documents are queries");
        }
        if verb == "DELETE" {
            return Told::of(Effect::Mutate, "a DELETE");
        }
        let url_words = address.words();
        if verb != "POST" {
            let tells = |name: &&str| {
                let said = words(name);
                is_named_as_send(&said) && told_by_name(&said) == Some(Effect::Send)
            };
            let sends = names.iter().take(2).any(tells) || address.segments.iter().any(|segment| segment == "send");
            let effect = if sends { Effect::Send } else { Effect::Mutate };
            return Told::of(effect, &format!("a {verb}"));
        }
        if names.iter().take(2).any(|name| exchanges_credentials(name)) || self.is_of_openid(&asked.by) {
            return Told::of(Effect::Auth, "the function exchanges credentials");
        }
        let around = self.around(asked.by.first().copied());
        let name_words = words(name);
        let asks = if is_plain_name(&name_words) { names.get(1).copied().unwrap_or(name) } else { name };
        if let Some(name) = self.asks_a_model(address, &asked.by) {
            return Told::of(Effect::Model, &format!("`{name}` asks a model"));
        }
        if names.iter().take(2).any(|name| measures(&words(name))) {
            return Told::of(Effect::Telemetry, "the function reports measurements");
        }
        if !address.is_at(&recipes.send.hosts) && asks_for_sends(&address.segments) {
            return Told::of(Effect::Mutate, &format!("`{}` asks for what others will send", address.last()));
        }
        if let Some(effect) = last_words(&url_words, &words(address.last())) {
            return Told::of(effect, "words of its URL");
        }
        if address.is_at(&recipes.charge.hosts) {
            if hands_in_a_file(&name_words) || hands_in_a_file(&words(address.last())) {
                return Told::of(Effect::Mutate, &format!("{} is given a file", address.host));
            }
            return Told::of(Effect::Charge, &format!("{} moves money", address.host));
        }
        if address.is_at(&recipes.send.hosts) {
            let kept = is_kept_there(address);
            let changes = says(&url_words, &recipes.mutate.words) || says(&name_words, &recipes.mutate.words);
            let effect = if changes || kept { Effect::Mutate } else { Effect::Send };
            return Told::of(effect, &format!("{} sends messages", address.host));
        }
        let callers = if many || names.len() > 1 { names.len() } else { 1 };
        for name in names.iter().take(callers) {
            let said = words(name);
            match told_by_name(&said) {
                Some(Effect::Mutate) => return Told::of(Effect::Mutate, &format!("`{name}` changes something")),
                Some(Effect::Charge) if around.iter().any(|word| is_of_certificates(word)) => {
                    return Told::of(Effect::Mutate, &format!("`{name}` orders a certificate"));
                }
                Some(effect) if !comes_before(&said) => return Told::of(effect, &format!("words of `{name}`")),
                Some(_) | None => {}
            }
        }
        if is_plain_name(&name_words)
            && let Some((effect, caller)) = asked.by.last().and_then(|id| self.told_by_callers(*id, 2))
        {
            return Told::of(effect, &format!("words of its caller `{caller}`"));
        }
        if address.host.is_empty() && says(&name_words, &recipes.send.verbs) && says(&around, &recipes.send.subjects) {
            return Told::of(Effect::Send, &format!("`{name}` of a channel to people"));
        }
        let pays = url_words.is_empty() || url_words.iter().any(|word| is_of_payments(word));
        if address.host.is_empty() && pays && takes_payments(&around) && !hands_in_a_file(&name_words) {
            return Told::of(Effect::Charge, "a payment provider by name");
        }
        if address.host.is_empty()
            && url_words.is_empty()
            && let Some(effect) = self.told_by_surroundings(asked.by.first().copied(), &name_words)
        {
            return Told::of(effect, "words of its type and module");
        }
        let of_a_model = address.host.is_empty() && asked.by.first().is_some_and(|id| self.is_of_a_model(*id));
        if address.host.is_empty() && !of_a_model && is_named_as_send(&name_words) {
            return Told::of(Effect::Send, &format!("`{name}` sends"));
        }
        // `query("InsertVector", ..)`: what is asked for is named in the path.
        let asked_for = words(address.last());
        let changes = asked_for.len() > 1 && asked_for.first().is_some_and(|first| writes(first));
        if reads_by_post(&words(asks)) && !changes {
            return Told::of(Effect::Read, &format!("`{asks}` reads by POST"));
        }
        if of_a_model {
            return Told::of(Effect::Model, &format!("`{name}` of a model's client"));
        }
        Told::of(Effect::Mutate, "a POST to a place that is not known")
    }

    /// What the words around a function say. The name of its crate says what the whole is for: no word of that counts
    /// for a function that is named after something else.
    fn told_by_surroundings(&self, function: Option<FnId>, name: &[String]) -> Option<Effect> {
        let around = self.around(function);
        let plain = is_plain_name(name) || says(name, &recipes().send.verbs) || says(name, &recipes().send.words);
        if plain {
            return told_by(&around);
        }
        let entry = &self.types.index.functions[function?.0 as usize];
        let package = self.types.index.modules[entry.module.0 as usize].path.first().map(|name| words(name).len());
        told_by(&around[package.unwrap_or_default().min(around.len())..])
    }

    /// The words of a function's crate, modules and type.
    pub(super) fn around(&self, function: Option<FnId>) -> Vec<String> {
        let Some(function) = function else { return Vec::new() };
        let index = self.types.index;
        let entry = &index.functions[function.0 as usize];
        let mut out: Vec<String> =
            index.modules[entry.module.0 as usize].path.iter().flat_map(|name| words(name)).collect();
        out.extend(self.type_words(function));
        out
    }

    /// The words of a function's type.
    pub(super) fn type_words(&self, function: FnId) -> Vec<String> {
        let index = self.types.index;
        let Some(impl_id) = index.functions[function.0 as usize].impl_id else { return Vec::new() };
        let names = crate::scan::types::ty::Names::of_fn(index, self.types.catalog, function);
        match names.ty(&index.impls[impl_id.0 as usize].def.self_ty) {
            Type::Local(id, _) => words(&index.types[id.0 as usize].name),
            Type::External(path, _) => words(crate::scan::types::known::last_of(&path)),
            _ => Vec::new(),
        }
    }

    /// An effect from the words around a write of which no URL is known.
    pub(super) fn by_words(&self, function: FnId, more: &[String]) -> Effect {
        let name = words(&self.types.index.functions[function.0 as usize].name);
        told_by(more).or_else(|| told_by(&name)).unwrap_or(Effect::Mutate)
    }
}
