//! Time by the number of lines: 1, 2, 4 and 8 times the same code, in many files and in one function.

use std::fmt::Write as _;
use std::path::Path;

use super::Options;
use super::runs::Stage;
use super::table::{Table, median, thousands};

/// How many times the same code.
const TIMES: [u32; 4] = [1, 2, 4, 8];

/// Both tables.
pub(crate) fn measure(options: &Options) -> std::io::Result<Vec<Table>> {
    Ok(vec![
        table("Many files", options, |folder, times| workspace(folder, options.size * times))?,
        table("One function", options, |folder, times| function(folder, options.size * times))?,
    ])
}

fn table(what: &str, options: &Options, make: impl Fn(&Path, u32) -> std::io::Result<()>) -> std::io::Result<Table> {
    let heading = format!("{what}: 1, 2, 4 and 8 times the same code, {} rounds", options.rounds);
    let mut table = Table::new(heading, &["times", "lines", "seconds", "processor", "processor a line, over once"]);
    let mut once = 0.0;
    for times in TIMES {
        let place = tempfile::tempdir()?;
        make(place.path(), times)?;
        let stage = Stage::of(place.path())?;
        let mut took = Vec::new();
        for _ in 0..options.rounds {
            took.push(stage.sites(false)?);
        }
        let seconds = median(&took.iter().map(|took| took.seconds).collect::<Vec<_>>());
        let processor = median(&took.iter().map(|took| took.processor).collect::<Vec<_>>());
        let of_line = processor / stage.lines;
        once = if times == 1 { of_line } else { once };
        table.push(&[
            times.to_string(),
            thousands(stage.lines),
            format!("{seconds:.3}"),
            format!("{processor:.2}"),
            if once > 0.0 { format!("{:.2}", of_line / once) } else { "-".to_owned() },
        ]);
    }
    Ok(table)
}

fn manifest(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("src"))?;
    let text =
        "[package]\nname = \"grown\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nreqwest = \"0.12\"\n";
    std::fs::write(folder.join("Cargo.toml"), text)
}

/// A crate of so many modules that call one another.
fn workspace(folder: &Path, modules: u32) -> std::io::Result<()> {
    manifest(folder)?;
    let mut root = String::new();
    for at in 0..modules {
        let _ = writeln!(root, "pub mod part{at};");
        std::fs::write(folder.join(format!("src/part{at}.rs")), module(at, (at + 1) % modules))?;
    }
    std::fs::write(folder.join("src/lib.rs"), root)
}

fn module(at: u32, next: u32) -> String {
    let mut text = format!(
        "use crate::part{next}::Client{next} as Next;\n\npub struct Client{at} {{\n    pub http: reqwest::Client,\n    \
         pub base: String,\n}}\n\nimpl Client{at} {{\n    pub fn new(base: &str) -> Self {{\n        Self {{ http: \
         reqwest::Client::new(), base: base.to_owned() }}\n    }}\n"
    );
    for step in 0..20 {
        let _ = write!(
            text,
            "\n    pub async fn step{step}(&self, next: &Next, id: u64) -> Result<(), reqwest::Error> {{\n        let \
             url = format!(\"{{}}/v1/items/{{id}}/{step}\", self.base);\n        let request = \
             self.http.post(&url).json(&id);\n        let answer = request.send().await?;\n        if \
             answer.status().is_success() {{\n            next.step{other}(&Next::new(&url), id + 1).await?;\n        \
             }}\n        Ok(())\n    }}\n",
            other = (step + 1) % 20
        );
    }
    text.push_str("}\n");
    text
}

/// A function of ten times so many sends.
fn function(folder: &Path, tens: u32) -> std::io::Result<()> {
    manifest(folder)?;
    let mut text = String::from("pub async fn all(http: &reqwest::Client, url: &str) {\n");
    for at in 0..tens * 10 {
        let _ = writeln!(text, "    let answer{at} = http.post(url).json(&{at}).send().await;\n    drop(answer{at});");
    }
    text.push_str("}\n");
    std::fs::write(folder.join("src/lib.rs"), text)
}
