//! Calls on types of crates that nobody listed, and on values without a type, told by what the call looks like.

use crate::scan::ir::{Body, Expr, ExprId};
use crate::scan::sinks::Context;
use crate::scan::sinks::clients::{PARTS, is_at_home, serves};
use crate::scan::sinks::fate::End;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::{recipes, says, words};
use crate::scan::sinks::uses::chain;
use crate::scan::sinks::verbs::writes;
use crate::scan::site::Resolution;
use crate::scan::types::call::Target;
use crate::scan::types::known::{first_of, last_of};
use crate::scan::types::ty::Type;
use crate::scan::types::value::Scope;

impl<'a> Context<'_, 'a> {
    /// A call that looks like one that leaves: it ends a request, is given an HTTP method, calls a tool, sends over
    /// a web socket or asks the client of a model.
    pub(super) fn by_gesture<'b>(&self, leaving: &Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        if self.begins_a_request(leaving, body) {
            return self.builder_of_package(leaving.clone());
        }
        // A value without a type may be of the workspace.
        let own = leaving.path.is_empty() && self.types.members.is_named(&leaving.name);
        if own {
            return None;
        }
        if !self.is_awaited_as_is(leaving) {
            return self.by_blocking_gesture(leaving);
        }
        let inferred = Leaving { resolution: Resolution::Inferred, ..leaving.clone() };
        if self.names_a_verb(leaving).is_some() {
            return Some(inferred);
        }
        if self.feeds_a_web_socket(leaving) {
            let path = "tokio_tungstenite::WebSocketStream";
            return self.like(Leaving { path: path.to_owned(), ..inferred }, path, "send");
        }
        let said = words(&leaving.name);
        if calls_a_tool(&said) {
            return self.like(inferred, "rmcp::service::Peer", "call_tool");
        }
        let path = self.unlisted_root(leaving, body)?;
        let sends = said.first().is_some_and(|word| word == "send");
        if sends && last_of(&leaving.path).contains("WebSocket") {
            return self.like(inferred, "tokio_tungstenite::WebSocketStream", "send");
        }
        let told = tells_people(&said) || !leaving.path.is_empty() && self.is_a_model(&path, &said);
        told.then_some(Leaving { path, ..inferred })
    }

    /// The same of a framework that queues what its bots say, so that nothing is awaited: `event.reply("pong")`,
    /// `bot.send_group_msg(group, text)`.
    fn by_blocking_gesture<'b>(&self, leaving: &Leaving<'a, 'b>) -> Option<Leaving<'a, 'b>> {
        let path = &leaving.path;
        let of = words(last_of(path)).pop()?;
        let library = first_of(path);
        let of_a_bot = path.contains("::") && !is_at_home(library) && self.types.known.is_unlisted(library);
        if !of_a_bot || leaving.args.is_empty() || self.fate(leaving.scope, leaving.expr).end != End::Dropped {
            return None;
        }
        let said = words(&leaving.name);
        let tells = match of.as_str() {
            "bot" => tells_people(&said) || said.first().is_some_and(|first| writes(first)),
            "client" => matches!(leaving.name.as_str(), "chat" | "send_chat_message" | "whisper"),
            "context" | "ctx" | "event" => tells_people(&said) || answers(&leaving.name),
            _ => false,
        };
        tells.then(|| Leaving { resolution: Resolution::Inferred, ..leaving.clone() })
    }

    /// A request whose end says nothing, told by what was called before: `groq.chat(model).messages(all).send()`,
    /// `ctx.send_message_in_reply(text).call()`. What the workspace has under such a name is its own.
    pub(super) fn by_names_before<'b>(&self, leaving: &Leaving<'a, 'b>, body: &'b Body) -> Option<Leaving<'a, 'b>> {
        const OF_A_MODEL: [&str; 8] =
            ["max_completion_tokens", "max_tokens", "message", "messages", "model", "prompt", "system", "temperature"];
        if !leaving.args.is_empty() || !self.is_awaited_as_is(leaving) {
            return None;
        }
        let before: Vec<(&str, bool)> =
            chain(body, leaving.expr).into_iter().skip(1).map(|(_, name, args)| (name, args.is_empty())).collect();
        if before.iter().any(|(name, _)| self.types.members.is_named(name)) {
            return None;
        }
        let asks = before.iter().rev().find(|(name, _)| {
            let said = words(name);
            said.iter().any(|word| recipes().model.verbs.contains(word)) || says(&said, &recipes().model.words)
        });
        let of_a_model = before.iter().any(|(name, _)| OF_A_MODEL.contains(name));
        let tells = before.iter().find(|(name, empty)| !empty && (answers(name) || tells_people(&words(name))));
        let (name, path) = match (asks.filter(|_| of_a_model), tells) {
            (Some((name, _)), _) => (*name, "llm::?"),
            (None, Some((name, _))) => (*name, "bot::?"),
            (None, None) => return None,
        };
        let (name, path) = (name.to_owned(), path.to_owned());
        Some(Leaving { name, path, resolution: Resolution::Inferred, ..leaving.clone() })
    }

    /// Messages of a web socket that are given to whatever takes them: `sink: impl Sink<Message>`.
    fn feeds_a_web_socket(&self, leaving: &Leaving<'a, '_>) -> bool {
        let [message] = leaving.args else { return false };
        let of_web_sockets = |ty: &Type| ty.path().is_some_and(|path| first_of(path).contains("tungstenite"));
        matches!(last_of(&leaving.path), "Sink" | "SinkExt")
            && matches!(leaving.name.as_str(), "feed" | "send" | "send_all")
            && (of_web_sockets(&self.eval.ty(leaving.scope, *message))
                || self.taken_by_sinks(leaving).iter().any(of_web_sockets))
    }

    /// What the sinks among a function's type parameters take.
    fn taken_by_sinks(&self, leaving: &Leaving<'a, '_>) -> Vec<Type> {
        let bounds = self.types.index.function(leaving.function).function.generics.iter().flat_map(|it| &it.bounds);
        let last = bounds.filter_map(|bound| bound.segments.last());
        let sinks = last.filter(|last| matches!(last.name.as_str(), "Sink" | "SinkExt"));
        let names = self.types.names(leaving.scope);
        sinks.flat_map(|sink| &sink.args).map(|ty| names.ty(ty)).collect()
    }

    /// Whether a channel is given a publication for the event loop of an MQTT client behind it:
    /// `tx.try_send(Request::Publish(publish))`.
    pub(super) fn hands_over_a_publication(&self, scope: Scope, body: &Body, name: &str, args: &[ExprId]) -> bool {
        let ("send" | "try_send" | "send_async" | "blocking_send", [request]) = (name, args) else { return false };
        let Expr::Call { callee, .. } = body.expr(*request) else { return false };
        let Expr::Path(path) = body.expr(*callee) else { return false };
        path.segments.last().is_some_and(|last| last.name == "Publish")
            && matches!(
                self.eval.path_value(scope, *callee),
                Target::Outside { path, .. } if matches!(first_of(&path), "rumq_client" | "rumqttc")
            )
    }

    /// The type of a crate that nobody listed on which a call is made, or a part of which.
    fn unlisted_root(&self, leaving: &Leaving<'a, '_>, body: &Body) -> Option<String> {
        let part = || {
            let parts = chain(body, leaving.expr).into_iter().take(PARTS).filter_map(|(id, ..)| match body.expr(id) {
                Expr::Method { receiver, .. } => self.eval.ty(leaving.scope, *receiver).path().map(str::to_owned),
                _ => None,
            });
            parts.into_iter().next()
        };
        let path = if leaving.path.is_empty() { part()? } else { leaving.path.clone() };
        let library = first_of(&path);
        let outside = path.contains("::") && !is_at_home(library) && !serves(&path);
        (outside && self.types.known.is_unlisted(library)).then_some(path)
    }

    /// A call that does what one of the catalog does.
    pub(super) fn like<'b>(&self, leaving: Leaving<'a, 'b>, path: &str, method: &str) -> Option<Leaving<'a, 'b>> {
        let found = self.types.known.call(path, method)?;
        let path = if leaving.path.is_empty() { path.to_owned() } else { leaving.path };
        Some(Leaving { path, known: Some((found.call, found.krate)), ..leaving })
    }

    /// Whether the crate is named after a model or its provider, and the method after asking it.
    fn is_a_model(&self, path: &str, said: &[String]) -> bool {
        let recipes = recipes();
        let of_model = says(&words(first_of(path)), &recipes.model.names);
        of_model && (said.first().is_some_and(|first| asks_a_model(first)) || says(said, &recipes.model.words))
    }
}

/// Whether what begins with this word asks, if it belongs to a model.
pub(super) fn asks_a_model(word: &str) -> bool {
    const ASKS: [&str; 8] = ["call", "create", "execute", "invoke", "message", "request", "run", "send"];
    ASKS.contains(&word) || recipes().model.verbs.iter().any(|verb| verb == word)
}

/// `cx.answer("Pong!").send()`: whether a method answers those whom a context holds.
pub(super) fn answers(name: &str) -> bool {
    matches!(name, "answer" | "answer_str" | "reply")
}

/// Whether a name says that people get something: `send_text`, `reply_markdown`, `react`.
fn tells_people(said: &[String]) -> bool {
    const GIVEN: [&str; 20] = [
        "audio", "card", "document", "embed", "event", "file", "html", "image", "invoice", "location", "markdown",
        "media", "notice", "photo", "poll", "sticker", "text", "tip", "video", "voice",
    ];
    let gives = |word: &String| GIVEN.contains(&word.as_str()) || recipes().send.words.contains(word);
    let Some((first, rest)) = said.split_first() else { return false };
    match first.as_str() {
        "broadcast" | "forward" | "post" | "publish" | "reply" | "send" => rest.iter().any(gives),
        "react" | "redact" | "say" | "toot" | "tweet" | "whisper" => true,
        _ => false,
    }
}

/// Whether a name says that a tool is called.
fn calls_a_tool(said: &[String]) -> bool {
    ["call", "tool"].iter().all(|word| said.iter().any(|said| said == word))
}

/// Whether a method of this name may be such a call.
pub(super) fn may_be(said: &[String]) -> bool {
    let asks = |word: &String| word == "request" || recipes().model.verbs.contains(word);
    calls_a_tool(said) || tells_people(said) || said.first().is_some_and(asks) || says(said, &recipes().model.words)
}
