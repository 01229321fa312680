//! The manual's sections, and a ledger to walk them through on: that of the sample agent.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::support::{Database, Server, describe, majors, server};

/// A fenced block of SQL, or of commands.
#[derive(Clone)]
pub(crate) struct Block {
    /// Whether a shell runs it.
    pub(crate) is_shell: bool,
    /// Whose it is: `owner`, `app`, `operator`, `maintenance`, `monitor`, or `subscriber`, the owner of another server.
    pub(crate) role: String,
    pub(crate) text: String,
}

/// What stands under a heading.
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// The sections of sql/README.md, in order.
pub(crate) fn sections() -> Vec<Section> {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/README.md")).unwrap();
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<Option<Block>> = None;
    let mut indent = 0;
    for line in manual.lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => {
                indent = line.len() - line.trim_start().len();
                let block = |is_shell, role: &str| Block { is_shell, role: role.to_owned(), text: String::new() };
                let sql = info.strip_prefix("sql ").map(|role| block(false, role));
                open = Some(sql.or_else(|| info.strip_prefix("sh ").map(|role| block(true, role))));
            }
            (Some(_), Some(_)) => {
                let block = open.take().flatten();
                sections.last_mut().unwrap().blocks.extend(block);
            }
            // As a page shows it: a block in a list is indented as a whole.
            (Some(Some(block)), None) => block.text += &format!("{}\n", line.get(indent..).unwrap_or_default()),
            (Some(None), None) => {}
            (None, None) => {
                if let Some(title) = line.strip_prefix("## ") {
                    sections.push(Section { title: title.to_owned(), blocks: Vec::new() });
                }
            }
        }
    }
    sections
}

/// A ledger of the sample agent with deadlines of a second, and who works with it.
pub(crate) struct Desk {
    pub(crate) database: Database,
}

impl Desk {
    pub(crate) async fn new() -> Desk {
        Desk::on(server(majors()[0])).await
    }

    /// On a server of its own.
    pub(crate) async fn of_its_own(settings: &[&str]) -> (Server, Desk) {
        let server = Server::start(majors()[0], settings);
        let desk = Desk::on(&server).await;
        (server, desk)
    }

    async fn on(server: &Server) -> Desk {
        let database = server.database().await;
        let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sales/migrations");
        let mut files: Vec<_> = fs::read_dir(migrations).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            database.run(&format!("BEGIN; {}; COMMIT", fs::read_to_string(file).unwrap())).await;
        }
        let haste = "UPDATE onlyonce.action_types SET send_budget = '500 ms', pending_timeout = '1 second'";
        let logins = "DO $$ BEGIN
            CREATE ROLE agent LOGIN; CREATE ROLE kim LOGIN; CREATE ROLE cron LOGIN; CREATE ROLE prometheus LOGIN;
          EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";
        database.run(&format!("{haste}; {logins}")).await;
        let desk = Desk { database };
        // Roles are the server's, and each test may be the first.
        desk.run_all("Roles").await;
        desk
    }

    pub(crate) async fn worker(&self) -> Client {
        self.database.connect_as("agent").await
    }

    pub(crate) fn blocks(&self, title: &str) -> Vec<Block> {
        let section = sections().into_iter().find(|section| section.title == title).expect(title);
        assert!(!section.blocks.is_empty(), "{title} has nothing to run");
        section.blocks
    }

    /// Runs every block under a heading; the first column of what they answer.
    pub(crate) async fn run_all(&self, title: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for block in self.blocks(title) {
            answers.extend(self.walk(&block).await);
        }
        answers
    }

    /// Runs a block; what it answers.
    pub(crate) async fn walk(&self, block: &Block) -> Vec<String> {
        if block.is_shell { self.shell(block) } else { self.run(&block.role, &block.text).await }
    }

    /// Runs commands where the sample agent is; the lines that they print.
    fn shell(&self, block: &Block) -> Vec<String> {
        let program = Path::new(env!("CARGO_BIN_EXE_onlyonce"));
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let done = Command::new("bash")
            .args(["-euc", &block.text])
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/sales"))
            .env("PATH", path)
            .env("DATABASE_URL", self.database.url(user(&block.role)))
            .output()
            .unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{}\n{said}{}", block.text, String::from_utf8_lossy(&done.stderr));
        said.lines().map(str::to_owned).collect()
    }

    /// Runs statements one by one, as a role.
    pub(crate) async fn run(&self, role: &str, text: &str) -> Vec<String> {
        let client = self.database.connect_as(user(role)).await;
        let mut answers = Vec::new();
        for statement in statements(text) {
            let rows = client.simple_query(&statement).await;
            let rows = rows.unwrap_or_else(|error| panic!("{}\n{statement}", describe(&error)));
            answers.extend(rows.into_iter().filter_map(|row| match row {
                SimpleQueryMessage::Row(row) => row.get(0).filter(|answer| !answer.is_empty()).map(str::to_owned),
                _ => None,
            }));
        }
        answers
    }

    /// Asks until it is true.
    pub(crate) async fn until(&self, question: &str) {
        let client = self.database.connect().await;
        let limit = Instant::now() + Duration::from_secs(60);
        while !client.query_one(question, &[]).await.unwrap().get::<_, Option<bool>>(0).unwrap_or(false) {
            assert!(Instant::now() < limit, "{question}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Who has a role in these ledgers.
fn user(role: &str) -> &'static str {
    match role {
        "owner" | "subscriber" => crate::support::SUPERUSER,
        "app" => "agent",
        "operator" => "kim",
        "maintenance" => "cron",
        "monitor" => "prometheus",
        role => panic!("{role:?} is no role of the manual"),
    }
}

/// Split as a shell does: a subscription is made in no transaction with others.
fn statements(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut quoted = false;
    let mut current = String::new();
    for line in text.lines() {
        quoted ^= line.matches("$$").count() % 2 == 1;
        current += &format!("{line}\n");
        if !quoted && line.trim_end().ends_with(';') {
            parts.push(std::mem::take(&mut current));
        }
    }
    assert_eq!(current.trim(), "", "a statement ends with a semicolon");
    parts
}
