//! From the plan as written to a valid [`Plan`], or what is wrong with it and where.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;

use super::raw::{
    RawAct, RawAction, RawDatabase, RawEvent, RawKind, RawLedger, RawLedgerKind, RawPlan, RawProtocol, RawWebhook,
    RawWorker,
};
use super::{
    ActPlan, ActionPlan, AdoptedBook, Book, DatabasePlan, EventPlan, Kind, Part, Plan, Route, Signature, Webhook,
    WorkerPlan,
};
use crate::chaos::faults::{self, Fault};
use crate::chaos::template::Template;
use crate::diagnostic::{self, Faults, Label};
use crate::duration;
use crate::files::{cannot, read_text};
use crate::manifest::{Layout, Manifest, nearest};
use crate::source::{Source, Span};

/// The largest plan that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What may stand in braces in the worker's command, environment and health address.
const OF_WORKER: [&str; 4] = ["database_url", "port", "provider_url", "smtp_port"];
/// What may stand in braces in ids and keys of events.
const OF_EVENT: [&str; 2] = ["n", "now"];

/// Reads and checks the plan at `path`, `shown` to people under this name; the manifest says what the plan leaves out.
///
/// # Errors
/// Why it could not be read, or all that is wrong in it.
pub fn load(path: &Path, shown: &str, manifest: Option<&Manifest>) -> Result<Plan, Faults> {
    let source = Source::new(shown, text(path, shown)?);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    read(&source, folder, manifest)
}

/// Checks a plan that is read already; paths in it are relative to `folder`.
///
/// # Errors
/// All that is wrong in it; one thing where it does not parse.
pub fn read(source: &Source, folder: &Path, manifest: Option<&Manifest>) -> Result<Plan, Faults> {
    let raw: RawPlan = toml::from_str(source.text()).map_err(|error| unreadable(source, &error))?;
    let mut check = Check { source, folder, faults: Vec::new() };
    let plan = check.plan(raw, manifest);
    if check.faults.is_empty() { Ok(plan) } else { Err(Faults(check.faults)) }
}

fn text(path: &Path, shown: &str) -> Result<String, diagnostic::Fault> {
    match fs::metadata(path) {
        Ok(facts) if !facts.is_file() => {
            Err(diagnostic::Fault::new(format!("{shown} is no plan")).with_help("name a TOML file"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(diagnostic::Fault::new(format!("there is no plan at {shown}"))
                .with_help("name a plan file; `onlyonce explain chaos-plan` prints a whole one"))
        }
        Ok(_) | Err(_) => read_text(path, shown, "plan", MAX_BYTES),
    }
}

fn unreadable(source: &Source, error: &toml::de::Error) -> diagnostic::Fault {
    let span = error.span().map_or(Span::default(), Span::from);
    let message = error.message().lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let help = match message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) {
        Some((written, known)) => {
            let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
            match nearest(written, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`"),
                None => "take it out; `onlyonce explain chaos-plan` shows what a plan holds".to_owned(),
            }
        }
        None => "`onlyonce explain chaos-plan` prints a whole plan".to_owned(),
    };
    diagnostic::Fault::new(format!("the plan cannot be read: {message}"))
        .at(Label::new(source, span, "here"))
        .with_help(help)
}

struct Check<'a> {
    source: &'a Source,
    folder: &'a Path,
    faults: Vec<diagnostic::Fault>,
}

impl Check<'_> {
    fn fault(&mut self, span: std::ops::Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let label = Label::new(self.source, span.into(), "here");
        self.faults.push(diagnostic::Fault::new(message).at(label).with_help(help));
    }

    fn plan(&mut self, raw: RawPlan, manifest: Option<&Manifest>) -> Plan {
        if *raw.version.get_ref() != 1 {
            self.fault(raw.version.span(), "only version 1 of a plan is known", "write version = 1");
        }
        let actions: BTreeMap<String, ActionPlan> =
            raw.provider.into_iter().map(|(name, action)| (name, self.action(action))).collect();
        let events = self.events(raw.event, &actions);
        let database = self.database(raw.database, manifest);
        let ledger = self.ledger(raw.ledger, manifest);
        Plan {
            name: self.source.name().to_owned(),
            seed: raw.seed,
            time_limit: self.duration(raw.time_limit, Duration::from_secs(600)),
            settle: self.duration(raw.settle, Duration::from_secs(5)),
            hit: self.hit(raw.hit, &actions),
            worker: self.worker(raw.worker),
            webhook: self.webhook(raw.webhook),
            events,
            actions,
            faults: self.counted(raw.faults, database.is_some()),
            database,
            ledger,
        }
    }

    fn duration(&mut self, written: Option<Spanned<String>>, usual: Duration) -> Duration {
        let Some(written) = written else { return usual };
        match duration::parse(written.get_ref()) {
            Ok(Duration::ZERO) => {
                self.fault(written.span(), "it is no time at all", "write a length of time such as \"30s\"");
                usual
            }
            Ok(length) => length,
            Err(why) => {
                let help = "write a length of time such as \"30s\" or \"5m\"";
                self.fault(written.span(), format!("no length of time: {why}"), help);
                usual
            }
        }
    }

    fn template(&mut self, written: Spanned<String>, known: &[&str]) -> Template {
        let span = written.span();
        let template = Template::new(written.into_inner());
        if let Some(name) = template.unknown(known) {
            let names: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
            let message = format!("`{{{name}}}` stands for nothing here");
            self.fault(span, message, format!("known here: {}", names.join(", ")));
        }
        template
    }

    fn worker(&mut self, raw: RawWorker) -> WorkerPlan {
        let span = raw.command.span();
        let command: Vec<Template> = raw.command.into_inner().into_iter().map(Template::new).collect();
        if command.first().is_none_or(|program| program.written().is_empty()) {
            self.fault(span.clone(), "the worker's command is empty", "write command = [\"./target/release/agent\"]");
        }
        if let Some(name) = command.iter().find_map(|word| word.unknown(&OF_WORKER)).map(str::to_owned) {
            self.fault(span, format!("`{{{name}}}` stands for nothing here"), "{port} and {provider_url} are known");
        }
        let environment =
            raw.environment.into_iter().map(|(name, value)| (name, self.template(value, &OF_WORKER))).collect();
        WorkerPlan {
            command,
            folder: self.folder.join(raw.folder.unwrap_or_default()),
            health: raw.health.map(|address| self.address(address)),
            start_within: self.duration(raw.start_within, Duration::from_secs(30)),
            stop_within: self.duration(raw.stop_within, Duration::from_secs(10)),
            acts_within: self.duration(raw.acts_within, Duration::from_secs(4)),
            inherit: raw.inherit,
            environment,
        }
    }

    fn address(&mut self, written: Spanned<String>) -> Template {
        if !written.get_ref().starts_with("http://") {
            let help = "write http://127.0.0.1:{port}/path: the worker runs on this machine";
            self.fault(written.span(), "an address of the worker is plain HTTP", help);
        }
        self.template(written, &OF_WORKER)
    }

    fn webhook(&mut self, raw: RawWebhook) -> Webhook {
        let headers = raw.headers.into_iter().map(|(name, value)| {
            if !is_header(&name) {
                self.fault(
                    value.span(),
                    format!("`{name}` is no name of a header"),
                    "write a name such as x-request-id",
                );
            }
            if value.get_ref().contains(['\r', '\n']) {
                self.fault(value.span(), "a header is one line", "take the line break out");
            }
            (name, Template::new(value.into_inner()))
        });
        let headers = headers.collect();
        let signature = raw.signature.map(|signature| {
            if !is_header(signature.header.get_ref()) {
                let message = format!("`{}` is no name of a header", signature.header.get_ref());
                self.fault(signature.header.span(), message, "write a name such as x-hub-signature-256");
            }
            Signature { header: signature.header.into_inner(), prefix: signature.prefix, secret: signature.secret }
        });
        Webhook { url: self.address(raw.url), headers, signature }
    }

    fn events(&mut self, raw: Spanned<Vec<RawEvent>>, actions: &BTreeMap<String, ActionPlan>) -> Vec<EventPlan> {
        if raw.get_ref().is_empty() {
            self.fault(raw.span(), "there is no event", "write an [[event]]: what the worker is to react to");
        }
        raw.into_inner().into_iter().map(|event| self.event(event, actions)).collect()
    }

    fn event(&mut self, raw: RawEvent, actions: &BTreeMap<String, ActionPlan>) -> EventPlan {
        let path = self.folder.join(raw.body.get_ref());
        let body = fs::read_to_string(&path).unwrap_or_else(|error| {
            let told = cannot("read", &path, &error);
            self.fault(raw.body.span(), told.message, "name a file beside the plan that holds the delivery's body");
            String::new()
        });
        if raw.act.get_ref().is_empty() {
            let help = "write an [[event.act]]: without one nothing can be lost";
            self.fault(raw.act.span(), "the event leads to nothing", help);
        }
        let id = raw.id.map(|id| self.template(id, &OF_EVENT));
        let acts = raw.act.into_inner().into_iter().map(|act| self.act(act, actions)).collect();
        EventPlan { body: Template::new(body), id, acts }
    }

    fn act(&mut self, raw: RawAct, actions: &BTreeMap<String, ActionPlan>) -> ActPlan {
        self.known(&raw.provider, actions);
        if !raw.is.get_ref().contains("{n}") {
            let help = "put {n} into it, and into the delivery's body: it is another number for each event";
            self.fault(raw.is.span(), "every event would lead to the same act", help);
        }
        let provider = raw.provider.into_inner();
        ActPlan {
            action: raw.action.unwrap_or_else(|| provider.clone()),
            is: self.template(raw.is, &OF_EVENT),
            key: raw.key.map(|key| self.template(key, &OF_EVENT)),
            provider,
        }
    }

    fn known(&mut self, name: &Spanned<String>, actions: &BTreeMap<String, ActionPlan>) {
        if !actions.contains_key(name.get_ref()) {
            let names: Vec<String> = actions.keys().map(|name| format!("`{name}`")).collect();
            let message = format!("there is no [provider.{}]", name.get_ref());
            self.fault(name.span(), message, format!("known: {}", names.join(", ")));
        }
    }

    fn hit(&mut self, raw: Option<Vec<Spanned<String>>>, actions: &BTreeMap<String, ActionPlan>) -> Vec<String> {
        let named = raw.unwrap_or_default();
        named.iter().for_each(|name| self.known(name, actions));
        if !named.is_empty() {
            return named.into_iter().map(Spanned::into_inner).collect();
        }
        let sends: Vec<String> =
            actions.iter().filter(|(_, action)| action.kind == Kind::Send).map(|(name, _)| name.clone()).collect();
        if sends.is_empty() { actions.keys().cloned().collect() } else { sends }
    }

    fn action(&mut self, raw: RawAction) -> ActionPlan {
        if raw.act.get_ref().is_empty() {
            let help = "write act = [\"body /to\"]: what of a request tells which act it is";
            self.fault(raw.act.span(), "nothing tells one act from another", help);
        }
        let route = self.route(raw.protocol, raw.method, raw.path, raw.act.span());
        let status = raw.status.map_or(200, |status| {
            if !(200..300).contains(status.get_ref()) {
                let help = "write a status of success; failures are faults";
                self.fault(status.span(), "a good answer has a status of 200 to 299", help);
            }
            status.into_inner()
        });
        ActionPlan {
            route,
            kind: match raw.kind {
                RawKind::Send => Kind::Send,
                RawKind::Model => Kind::Model,
            },
            act: raw.act.into_inner().iter().filter_map(|part| self.part(part)).collect(),
            payload: raw.payload.iter().filter_map(|part| self.part(part)).collect(),
            key: raw.key.and_then(|part| self.part(&part)),
            honours: raw.honours.and_then(|part| self.part(&part)),
            status,
            answer: Template::new(raw.answer.unwrap_or_else(|| "{\"id\":\"{message_id}\"}".to_owned())),
        }
    }

    fn route(
        &mut self,
        protocol: RawProtocol,
        method: Option<String>,
        path: Option<Spanned<String>>,
        at: std::ops::Range<usize>,
    ) -> Route {
        let help = "write path = \"/v1/messages\", `*` for any segment, or protocol = \"smtp\"";
        let path = match (protocol, path) {
            (RawProtocol::Smtp, None) => return Route::Smtp,
            (RawProtocol::Smtp, Some(path)) => {
                self.fault(path.span(), "a mail has no path", "take the line out");
                return Route::Smtp;
            }
            (RawProtocol::Http, None) => {
                self.fault(at, "nothing tells which requests are this action", help);
                return Route::Smtp;
            }
            (RawProtocol::Http, Some(path)) => path,
        };
        if !path.get_ref().starts_with('/') {
            self.fault(path.span(), "a path begins with `/`", help);
        }
        let segments = path.into_inner().split('/').skip(1).map(str::to_owned).collect();
        Route::Http(method.unwrap_or_else(|| "POST".to_owned()).to_ascii_uppercase(), segments)
    }

    fn part(&mut self, written: &Spanned<String>) -> Option<Part> {
        let part = match written.get_ref().split_once(' ') {
            Some(("header", name)) if is_header(name) => Some(Part::Header(name.to_ascii_lowercase())),
            Some(("body", pointer)) if pointer.starts_with('/') => Some(Part::Body(pointer.to_owned())),
            Some(("path", segment)) => segment.parse().ok().filter(|segment| *segment > 0).map(Part::Path),
            _ => None,
        };
        if part.is_none() {
            let message = format!("`{}` is no part of a request", written.get_ref());
            let help = "write \"header idempotency-key\", \"body /to\" (a JSON pointer) or \"path 2\"";
            self.fault(written.span(), message, help);
        }
        part
    }

    fn counted(&mut self, raw: Option<BTreeMap<String, Spanned<u32>>>, database: bool) -> Vec<(&'static Fault, u32)> {
        let Some(raw) = raw else {
            let usual = faults::ALL.iter().filter(|fault| database || fault.kind != faults::Kind::Postgres);
            return usual.map(|fault| (fault, 1)).collect();
        };
        let empty = raw.values().all(|count| *count.get_ref() == 0);
        let at = raw.values().next().map_or(0..0, Spanned::span);
        let mut counted = Vec::new();
        for (name, count) in raw {
            match faults::find(&name) {
                Some(fault) if fault.kind == faults::Kind::Postgres && !database => {
                    self.fault(count.span(), format!("`{name}` needs a database"), "write [database], or take it out");
                }
                Some(fault) => counted.push((fault, count.into_inner())),
                None => {
                    let near = nearest(&name, faults::ALL.iter().map(|fault| fault.name));
                    let help = near.map_or("`onlyonce chaos faults` lists them".to_owned(), |near| {
                        format!("did you mean `{near}`")
                    });
                    self.fault(count.span(), format!("there is no fault `{name}`"), help);
                }
            }
        }
        if empty {
            self.fault(
                at,
                "no fault is to be injected",
                "write replay-in-turn = 1, or leave [faults] out for one of each",
            );
        }
        counted
    }

    fn database(&mut self, raw: Option<RawDatabase>, manifest: Option<&Manifest>) -> Option<DatabasePlan> {
        if raw.is_none() && manifest.is_none() {
            return None;
        }
        let raw = raw.unwrap_or_default();
        let of_manifest = || manifest.map(|manifest| manifest.root.join(&manifest.schema.migrations));
        let folder = raw.migrations.map(|folder| self.folder.join(folder)).or_else(of_manifest);
        let layout = raw.layout.or(manifest.map(|manifest| manifest.schema.layout)).unwrap_or(Layout::Sqlx);
        Some(DatabasePlan {
            programs: raw.programs.map(|programs| self.folder.join(programs)),
            migrations: folder.map(|folder| (folder, layout)),
            setup: raw.setup.iter().map(|file| self.folder.join(file)).collect::<Vec<PathBuf>>(),
        })
    }

    fn ledger(&mut self, raw: Option<RawLedger>, manifest: Option<&Manifest>) -> Book {
        let adopt = manifest.and_then(|manifest| manifest.schema.adopt.as_ref());
        let Some(raw) = raw else {
            return match manifest {
                // What its statuses mean only the plan can say.
                Some(_) if adopt.is_some() => Book::None,
                Some(manifest) => Book::Onlyonce { schema: manifest.schema.name.clone() },
                None => Book::None,
            };
        };
        let mut name = |written: Option<Spanned<String>>| written.map(|name| self.name(name));
        let (schema, actions, status) = (name(raw.schema), name(raw.actions), name(raw.status));
        let key: Vec<String> = raw.key.into_iter().map(|name| self.name(name)).collect();
        match raw.kind {
            RawLedgerKind::None => Book::None,
            RawLedgerKind::Onlyonce => {
                let of_manifest = manifest.map(|manifest| manifest.schema.name.clone());
                Book::Onlyonce { schema: schema.or(of_manifest).unwrap_or_else(|| "onlyonce".to_owned()) }
            }
            RawLedgerKind::Adopted => {
                let book = AdoptedBook {
                    actions: actions.or(adopt.map(|adopt| adopt.actions.clone())).unwrap_or_default(),
                    key: if key.is_empty() { adopt.map(|adopt| adopt.key.clone()).unwrap_or_default() } else { key },
                    status: status.or(adopt.map(|adopt| adopt.status.clone())).unwrap_or_default(),
                    sent: raw.sent,
                    failed: raw.failed,
                    waiting: raw.waiting,
                };
                if book.actions.is_empty() || book.key.is_empty() || book.status.is_empty() || book.sent.is_empty() {
                    let help = "write actions, key, status and sent (the words of the status that mean: done)";
                    self.fault(0..0, "an adopted ledger is not described whole", help);
                }
                Book::Adopted(Box::new(book))
            }
        }
    }

    /// A name that stands in statements: letters, digits, `_`, and a `.` between schema and table.
    fn name(&mut self, written: Spanned<String>) -> String {
        let plain = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'_')
        };
        if !written.get_ref().split('.').all(plain) {
            let message = format!("`{}` is no plain name of a table or column", written.get_ref());
            self.fault(
                written.span(),
                message,
                "write it in lower-case letters, digits and `_`, as public.agent_actions",
            );
        }
        written.into_inner()
    }
}

fn is_header(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_')
}
