//! The plan as written: what serde reads, with the place of each value that is judged later.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::manifest::Layout;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlan {
    pub(super) version: Spanned<u32>,
    #[serde(default)]
    pub(super) seed: u64,
    pub(super) time_limit: Option<Spanned<String>>,
    pub(super) settle: Option<Spanned<String>>,
    pub(super) hit: Option<Vec<Spanned<String>>>,
    pub(super) worker: RawWorker,
    pub(super) webhook: RawWebhook,
    pub(super) event: Spanned<Vec<RawEvent>>,
    pub(super) provider: BTreeMap<String, RawAction>,
    #[serde(default)]
    pub(super) faults: Option<BTreeMap<String, Spanned<u32>>>,
    pub(super) database: Option<RawDatabase>,
    pub(super) ledger: Option<RawLedger>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWorker {
    pub(super) command: Spanned<Vec<String>>,
    pub(super) folder: Option<String>,
    pub(super) health: Option<Spanned<String>>,
    pub(super) start_within: Option<Spanned<String>>,
    pub(super) stop_within: Option<Spanned<String>>,
    pub(super) acts_within: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) inherit: Vec<String>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWebhook {
    pub(super) url: Spanned<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Spanned<String>>,
    pub(super) signature: Option<RawSignature>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSignature {
    pub(super) header: Spanned<String>,
    #[serde(default)]
    pub(super) prefix: String,
    pub(super) secret: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEvent {
    pub(super) body: Spanned<String>,
    pub(super) id: Option<Spanned<String>>,
    pub(super) act: Spanned<Vec<RawAct>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAct {
    pub(super) provider: Spanned<String>,
    pub(super) is: Spanned<String>,
    pub(super) action: Option<String>,
    pub(super) key: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAction {
    #[serde(default)]
    pub(super) protocol: RawProtocol,
    pub(super) method: Option<String>,
    pub(super) path: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) kind: RawKind,
    pub(super) act: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) payload: Vec<Spanned<String>>,
    pub(super) key: Option<Spanned<String>>,
    pub(super) honours: Option<Spanned<String>>,
    pub(super) status: Option<Spanned<u16>>,
    pub(super) answer: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawProtocol {
    #[default]
    Http,
    Smtp,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawKind {
    #[default]
    Send,
    Model,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDatabase {
    pub(super) programs: Option<String>,
    pub(super) migrations: Option<String>,
    pub(super) layout: Option<Layout>,
    #[serde(default)]
    pub(super) setup: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLedger {
    pub(super) kind: RawLedgerKind,
    pub(super) schema: Option<Spanned<String>>,
    pub(super) actions: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) key: Vec<Spanned<String>>,
    pub(super) status: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) sent: Vec<String>,
    #[serde(default)]
    pub(super) failed: Vec<String>,
    #[serde(default)]
    pub(super) waiting: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawLedgerKind {
    Onlyonce,
    Adopted,
    None,
}
