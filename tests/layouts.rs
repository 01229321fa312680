//! What `emit` writes, applied by each tool's own rules to real servers: up, down, up again, in two databases of
//! one server, as the superuser and as ordinary owners. sqlx, refinery and diesel run themselves; the others'
//! rules are re-implemented from their sources, which each file names. ONLYONCE_POSTGRES chooses the majors.

#[path = "layouts/catalog.rs"]
mod catalog;
#[path = "layouts/dbmate.rs"]
mod dbmate;
#[path = "layouts/flyway.rs"]
mod flyway;
#[path = "layouts/golang_migrate.rs"]
mod golang_migrate;
#[path = "layouts/goose.rs"]
mod goose;
#[path = "layouts/rust_tools.rs"]
mod rust_tools;
mod support;
#[path = "layouts/tool.rs"]
mod tool;

use std::fs;
use std::path::Path;
use std::process::Command;

use onlyonce::emit::{self, Ground, versions};
use onlyonce::files;
use onlyonce::manifest::{self, Layout};
use support::Database;

const ROLES: [&str; 5] = ["owner", "app", "operator", "maintenance", "monitor"];

/// Who migrates.
#[derive(Clone, Copy, PartialEq)]
enum Who {
    Superuser,
    /// Owns the database and may create roles.
    Creator,
    /// Owns the database and may not.
    Owner,
}

/// A manifest, a folder and those who apply it.
struct Case {
    layout: Layout,
    who: Who,
    roles: &'static str,
    /// HASH partitions of the ledger.
    partitions: u32,
    /// Also the prefix of its roles, which all databases of a server share.
    schema: String,
    /// The version of the ledger that is emitted first.
    first: u32,
}

impl Case {
    fn new(layout: Layout, who: Who, roles: &'static str, tag: &str) -> Case {
        let schema = format!("oo_{}_{tag}", layout.name().replace('-', "_"));
        Case { layout, who, roles, partitions: 0, schema, first: versions::LATEST }
    }

    fn user(&self) -> String {
        match self.who {
            Who::Superuser => support::SUPERUSER.to_owned(),
            Who::Creator | Who::Owner => format!("{}_migrator", self.schema),
        }
    }

    /// The manifest; `later` is after a few changes.
    fn manifest(&self, later: bool) -> String {
        let (layout, roles, schema) = (self.layout.name(), self.roles, &self.schema);
        let head = format!(
            "version = 1\n[schema]\nname = \"{schema}\"\nmigrations = \"m\"\nlayout = \"{layout}\"\nroles = \"{roles}\"\n\
             partitions = {}\n",
            self.partitions
        );
        let (reply, mail) = if later { ("30s", LATER) } else { ("20s", FIRST) };
        format!("{head}{REPLY}send_budget = \"{reply}\"\n{mail}{INBOUND}")
    }

    /// What the server needs before the first migration, once a server.
    async fn prepare(&self, database: &Database) {
        let mut sql = String::new();
        if self.who != Who::Superuser {
            let creates = if self.who == Who::Creator { "CREATEROLE" } else { "NOCREATEROLE" };
            sql.push_str(&format!("CREATE ROLE {} LOGIN {creates};", self.user()));
        }
        if self.roles == "existing" {
            for role in ROLES {
                sql.push_str(&format!("CREATE ROLE {}_{role};", self.schema));
            }
            sql.push_str(&format!("GRANT {0}_owner TO {1};", self.schema, self.user()));
        }
        database.run(&sql).await;
    }

    async fn hand_over(&self, database: &Database) {
        database.run(&format!("ALTER DATABASE {} OWNER TO {}", database.name, self.user())).await;
    }

    async fn up(&self, folder: &Path, database: &Database) {
        let folder = &folder.join("m");
        let (mut client, url) = (database.connect_as(&self.user()).await, database.url(&self.user()));
        match self.layout {
            Layout::Dbmate => dbmate::up(folder, &mut client).await,
            Layout::Diesel => rust_tools::diesel_up(folder, &url).await,
            Layout::Flyway => flyway::up(folder, &mut client).await,
            Layout::GolangMigrate => golang_migrate::up(folder, &mut client).await,
            Layout::Goose => goose::up(folder, &mut client).await,
            Layout::Plain => psql_up(folder, database, &self.user()),
            Layout::Refinery => rust_tools::refinery_up(folder, &mut client).await,
            Layout::Sqlx => rust_tools::sqlx_up(folder, &url).await,
        }
    }

    /// All the way down; false for a tool that has no way.
    async fn down(&self, folder: &Path, database: &Database) -> bool {
        let folder = &folder.join("m");
        let (mut client, url) = (database.connect_as(&self.user()).await, database.url(&self.user()));
        match self.layout {
            Layout::Dbmate => dbmate::down(folder, &mut client).await,
            Layout::Diesel => rust_tools::diesel_down(folder, &url).await,
            Layout::Flyway => flyway::down(folder, &mut client).await,
            Layout::GolangMigrate => golang_migrate::down(folder, &mut client).await,
            Layout::Goose => goose::down(folder, &mut client).await,
            Layout::Plain | Layout::Refinery => return false,
            Layout::Sqlx => rust_tools::sqlx_down(folder, &url).await,
        }
        true
    }

    /// The catalog with the names of this case taken out, so that cases can be compared.
    async fn catalog(&self, database: &Database) -> Vec<String> {
        let lines = catalog::lines(&database.connect().await, &self.schema).await;
        let mut lines: Vec<String> =
            lines.iter().map(|line| line.replace(&self.user(), "migrator").replace(&self.schema, "ledger")).collect();
        lines.sort();
        lines
    }
}

const REPLY: &str = r#"
[action.send_reply]
summary = "Reply to a customer's message"
same_when = "it answers the same message"
key = ["inbound_message_id: text", "conversation_step: integer"]
"#;
const FIRST: &str = r#"
[action.outreach_email]
summary = "One email per company"
same_when = "it goes to the same company"
key = ["company_domain: domain"]
"#;
const LATER: &str = r#"
[action.draft_reply]
kind = "model"
summary = "Model call that drafts the reply; it's not sent"
same_when = "it plans the same message"
key = ["inbound_message_id: text"]
when_unknown = "retry"
keep = "90d"
"#;
const INBOUND: &str = r#"
[inbound.whatsapp]
event_id = ["$.id"]
retention = "30d"
"#;

/// psql itself, as the header of the file says; files that were applied are moved away, as the layout keeps no book.
fn psql_up(folder: &Path, database: &Database, user: &str) {
    let applied = folder.with_file_name(format!("applied-{}", database.name));
    fs::create_dir_all(&applied).unwrap();
    for (name, text) in tool::files(folder, tool::numeric_prefix) {
        if applied.join(&name).exists() {
            continue;
        }
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &database.url(user), "-f"]).arg(folder.join(&name));
        let output = psql.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        fs::write(applied.join(&name), text).unwrap();
    }
}

/// Emits in `folder` at a fixed time, as the onlyonce of this ledger does.
fn emit(folder: &Path, seconds: i64, ledger: u32) {
    let manifest = manifest::load(&folder.join("onlyonce.toml"), "onlyonce.toml", &[]).unwrap();
    let now = jiff::Timestamp::from_second(seconds).unwrap();
    let plan = emit::plan_until(&manifest, &Ground::read(&manifest).unwrap(), now, ledger).unwrap();
    files::write_all(&plan.files).unwrap();
}

/// A folder with the first set, then with a change as well; what `between` sees is the folder after the first.
async fn play(case: &Case, major: u32) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    if case.layout == Layout::Flyway {
        // An undo file shows that the paid edition is there, so that ours are written too.
        fs::create_dir_all(folder.join("m")).unwrap();
        fs::write(folder.join("m/V1__first.sql"), "CREATE TABLE first_table (a int);\n").unwrap();
        fs::write(folder.join("m/U1__first.sql"), "DROP TABLE first_table;\n").unwrap();
    }
    let database = support::server(major).database().await;
    case.prepare(&database).await;
    case.hand_over(&database).await;
    let nothing = case.catalog(&database).await;
    fs::write(folder.join("onlyonce.toml"), case.manifest(false)).unwrap();
    emit(folder, 1_764_374_400, case.first);
    case.up(folder, &database).await;
    let first = case.catalog(&database).await;
    assert!(first.len() > nothing.len() + 50, "the ledger is there: {first:#?}");

    fs::write(folder.join("onlyonce.toml"), case.manifest(true)).unwrap();
    emit(folder, 1_764_460_800, versions::LATEST);
    case.up(folder, &database).await;
    let second = case.catalog(&database).await;
    assert_ne!(first, second, "the change is there");

    let other = support::server(major).database().await;
    case.hand_over(&other).await;
    case.up(folder, &other).await;
    assert_eq!(case.catalog(&other).await, second, "another database of the server gets the same");

    if case.down(folder, &database).await {
        assert_eq!(case.catalog(&database).await, nothing, "nothing but roles is left");
        case.up(folder, &database).await;
        assert_eq!(case.catalog(&database).await, second, "down and up again is the same");
        assert_eq!(case.catalog(&other).await, second, "the other database never noticed");
    }
    second.into_iter().filter(|line| !line.contains("first_table")).collect()
}

/// Plays cases and demands that all of them end with the same catalog.
async fn play_alike(cases: &[Case]) {
    for major in support::majors() {
        let mut seen: Option<Vec<String>> = None;
        for case in cases {
            let catalog = play(case, major).await;
            match &seen {
                None => seen = Some(catalog),
                Some(seen) => assert_eq!(&catalog, seen, "{} on {major}", case.layout.name()),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_applies_it_as_superuser() {
    let cases = onlyonce::migration::layout::ALL.map(|layout| Case::new(layout, Who::Superuser, "create", "su"));
    play_alike(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_applies_it_as_an_owner_who_creates_roles() {
    let cases = onlyonce::migration::layout::ALL.map(|layout| Case::new(layout, Who::Creator, "create", "cr"));
    play_alike(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_applies_it_as_an_owner_with_roles_of_somebody_else() {
    let cases = onlyonce::migration::layout::ALL.map(|layout| Case::new(layout, Who::Owner, "existing", "ex"));
    play_alike(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_applies_it_as_an_owner_without_roles() {
    let cases = onlyonce::migration::layout::ALL.map(|layout| Case::new(layout, Who::Owner, "none", "no"));
    play_alike(&cases).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ledger_in_partitions_is_applied_by_an_owner_who_creates_roles() {
    let case = Case { partitions: 4, ..Case::new(Layout::Sqlx, Who::Creator, "create", "pa") };
    play_alike(&[case]).await;
}

/// What an earlier ledger becomes by its upgrade is what is made at once today.
#[tokio::test(flavor = "multi_thread")]
async fn every_tool_upgrades_it_to_what_is_emitted_today() {
    let case = |layout, tag| Case::new(layout, Who::Superuser, "create", tag);
    let of_old = onlyonce::migration::layout::ALL.map(|layout| Case { first: 1, ..case(layout, "us") });
    play_alike(&[case(Layout::Sqlx, "fresh")].into_iter().chain(of_old).collect::<Vec<_>>()).await;
}
