//! The plan of an acceptance run: how the worker starts, what is delivered to it, how its requests are read, and
//! which faults are injected how often. If you have a [`Plan`], it is valid.

mod check;
mod raw;

pub use check::{load, read};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::chaos::faults::Fault;
use crate::chaos::template::Template;
use crate::manifest::Layout;

/// A whole plan with a word on each line, for people.
pub const SAMPLE: &str = include_str!("plan/sample.toml");

/// A valid plan; made only by loading.
#[derive(Clone, Debug)]
pub struct Plan {
    /// As people are shown it.
    pub name: String,
    /// The same seed gives the same faults in the same order on the same events.
    pub seed: u64,
    /// The run ends after this, whatever it is at.
    pub time_limit: Duration,
    /// Longer than anything of the worker's that ends by the clock: its pending timeout, its claim timeout. A stopped
    /// worker stays stopped for as long, and the run waits for as long before it judges.
    pub settle: Duration,
    /// The provider actions that are hit; never empty.
    pub hit: Vec<String>,
    /// The worker.
    pub worker: WorkerPlan,
    /// Where events go.
    pub webhook: Webhook,
    /// The events, taken in turn. Never empty.
    pub events: Vec<EventPlan>,
    /// `[provider.<name>]`: how a request becomes an action. Never empty.
    pub actions: BTreeMap<String, ActionPlan>,
    /// Which fault how often; never empty.
    pub faults: Vec<(&'static Fault, u32)>,
    /// The database, when there is one.
    pub database: Option<DatabasePlan>,
    /// The ledger, when there is one. Then there is a database.
    pub ledger: Book,
}

/// `[worker]`: how it starts and when it is up.
#[derive(Clone, Debug)]
pub struct WorkerPlan {
    /// Program and arguments; never empty. A program with a `/` in its name is looked for in the folder.
    pub command: Vec<Template>,
    /// Where it runs.
    pub folder: PathBuf,
    /// The address that answers with a status under 400 once it is up; without it, its port takes connections.
    pub health: Option<Template>,
    /// How long a start may take.
    pub start_within: Duration,
    /// How long it may take to end after SIGTERM.
    pub stop_within: Duration,
    /// How long after a delivery its requests may take to come.
    pub acts_within: Duration,
    /// Variables of our own environment that it gets too. It gets no others but PATH and a few like it, so that it
    /// does not reach what our environment names.
    pub inherit: Vec<String>,
    /// Its environment.
    pub environment: BTreeMap<String, Template>,
}

impl WorkerPlan {
    /// Whether it takes the port that it is given, so that two of it can run side by side.
    #[must_use]
    pub fn takes_port(&self) -> bool {
        self.command.iter().chain(self.environment.values()).any(|text| text.written().contains("{port}"))
    }
}

/// `[webhook]`: where events go and what they carry.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// Its address: plain HTTP.
    pub url: Template,
    /// Headers of each delivery.
    pub headers: BTreeMap<String, Template>,
    /// How deliveries are signed.
    pub signature: Option<Signature>,
}

/// An HMAC-SHA256 of the body in a header, as Meta, GitHub and others sign.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The header.
    pub header: String,
    /// What stands before the hexadecimal digits.
    pub prefix: String,
    /// The secret; of the test, not of production.
    pub secret: String,
}

/// `[[event]]`: a delivery, and what the worker is to do about it.
#[derive(Clone, Debug)]
pub struct EventPlan {
    /// The delivery's body.
    pub body: Template,
    /// The event's id, as the ledger's inbound table has it.
    pub id: Option<Template>,
    /// What has to come of it.
    pub acts: Vec<ActPlan>,
}

/// `[[event.act]]`: one act that an event has to lead to.
#[derive(Clone, Debug)]
pub struct ActPlan {
    /// The name of a provider action.
    pub provider: String,
    /// What tells it from every other act at the provider: the values of its `act` parts, joined by a blank.
    pub is: Template,
    /// The action type in the ledger.
    pub action: String,
    /// Its key in the ledger.
    pub key: Option<Template>,
}

/// `[provider.<name>]`: how requests become acts, and how they are answered.
#[derive(Clone, Debug)]
pub struct ActionPlan {
    /// Which requests are it.
    pub route: Route,
    /// Whether it acts on the world or asks a model.
    pub kind: Kind,
    /// What of a request tells which act it is. Never empty.
    pub act: Vec<Part>,
    /// What has to be the same whenever it is the same act; the whole body when empty.
    pub payload: Vec<Part>,
    /// Where the request carries the ledger's key.
    pub key: Option<Part>,
    /// Where the request carries a key that this provider honours: a second request under it is answered as the first
    /// was and has no second effect.
    pub honours: Option<Part>,
    /// The status of a good answer.
    pub status: u16,
    /// Its body; `{message_id}` is an id that is new with each request that is accepted.
    pub answer: Template,
}

/// Which requests are an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Those of HTTP with this method and path, `*` for any one segment of it.
    Http(String, Vec<String>),
    /// Every mail.
    Smtp,
}

/// What a repeat of an action means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It acts on the world: a repeat is a duplicate.
    Send,
    /// It asks a model: a repeat is one too, unless a fault left the first answer in doubt.
    Model,
}

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// `header idempotency-key`, in lower case; of a mail its own headers, and `envelope-to`.
    Header(String),
    /// `body /to/0`: a JSON pointer, or the name of a form field as `/name`.
    Body(String),
    /// `path 3`: a segment, counted from 1.
    Path(usize),
}

/// `[database]`: what the worker finds in its database.
#[derive(Clone, Debug)]
pub struct DatabasePlan {
    /// The folder of `initdb` and `postgres`; without it they are looked for.
    pub programs: Option<PathBuf>,
    /// The team's migrations and whose layout they have.
    pub migrations: Option<(PathBuf, Layout)>,
    /// SQL files that run after the migrations: roles, grants, rows.
    pub setup: Vec<PathBuf>,
}

/// `[ledger]`: what the worker's book says of its acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Book {
    /// Ours, in this schema.
    Onlyonce {
        /// Its schema.
        schema: String,
    },
    /// A team's own table.
    Adopted(Box<AdoptedBook>),
    /// None: judged by the provider alone.
    None,
}

/// A team's own table of acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptedBook {
    /// The table, qualified.
    pub actions: String,
    /// Its key columns; together the key, joined by `:`.
    pub key: Vec<String>,
    /// Its status column.
    pub status: String,
    /// Words of it that mean: done.
    pub sent: Vec<String>,
    /// Words that mean: not done, and known not to be.
    pub failed: Vec<String>,
    /// Words that mean: waits for a person.
    pub waiting: Vec<String>,
}
