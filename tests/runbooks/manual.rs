//! The manual's sections, and a ledger to walk them through on: that of the sample agent.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::support::{Database, Server, describe, majors, server};

/// A fenced block of SQL.
#[derive(Clone)]
pub(crate) struct Block {
    /// Whose it is: `owner`, `operator`, `maintenance`, `monitor`, or `subscriber`, the owner of another server.
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
    for line in manual.lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => {
                let role = info.strip_prefix("sql").map(|role| role.trim().to_owned());
                open = Some(role.map(|role| Block { role, text: String::new() }));
            }
            (Some(_), Some(_)) => {
                let block = open.take().flatten();
                sections.last_mut().unwrap().blocks.extend(block);
            }
            (Some(Some(block)), None) => block.text += &format!("{line}\n"),
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
        assert!(!section.blocks.is_empty(), "{title} has no SQL");
        section.blocks
    }

    /// Runs every block under a heading; the first column of what they answer.
    pub(crate) async fn run_all(&self, title: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for block in self.blocks(title) {
            answers.extend(self.run(&block.role, &block.text).await);
        }
        answers
    }

    /// Runs statements one by one, as a role.
    pub(crate) async fn run(&self, role: &str, text: &str) -> Vec<String> {
        let user = match role {
            "owner" | "subscriber" => crate::support::SUPERUSER,
            "operator" => "kim",
            "maintenance" => "cron",
            "monitor" => "prometheus",
            role => panic!("{role:?} is no role of the manual:\n{text}"),
        };
        let client = self.database.connect_as(user).await;
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
