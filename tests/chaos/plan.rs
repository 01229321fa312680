//! Plans: what is wrong is told with its place, and the same seed gives the same rounds.

use std::fs;

use onlyonce::chaos::faults::{self, rounds};
use onlyonce::chaos::plan::{Book, Plan, read};
use onlyonce::diagnostic::Faults;
use onlyonce::source::Source;

use crate::courier::folder;

fn sample() -> String {
    fs::read_to_string(folder().join("chaos.toml")).unwrap()
}

fn load(text: &str) -> Result<Plan, Faults> {
    let manifest = onlyonce::manifest::load(&folder().join("onlyonce.toml"), "onlyonce.toml", &[]).unwrap();
    read(&Source::new("chaos.toml", text), &folder(), Some(&manifest))
}

/// The messages with their lines, of a plan in which this text stands for that.
fn wrong(from: &str, to: &str) -> Vec<String> {
    let text = sample();
    assert!(text.contains(from), "the sample has no {from:?}");
    let faults = load(&text.replacen(from, to, 1)).expect_err(to).0;
    let told = faults.into_iter().map(|fault| {
        assert!(fault.help.is_some(), "{} has no help", fault.message);
        let place = fault.place.expect("a fault of a plan has a place");
        format!("{}: {}", place.source.position(place.span.start).line, fault.message)
    });
    told.collect()
}

fn line_of(text: &str) -> usize {
    sample().lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn the_sample_loads() {
    let plan = load(&sample()).unwrap();
    assert_eq!(plan.hit, ["send_reply"]);
    assert_eq!(plan.events[0].acts.len(), 2);
    assert_eq!(plan.ledger, Book::Onlyonce { schema: "onlyonce".to_owned() });
}

#[test]
fn the_plan_that_explain_prints_is_one() {
    let plan = load(onlyonce::chaos::plan::SAMPLE).unwrap();
    assert_eq!((plan.events.len(), plan.hit), (1, vec!["send_reply".to_owned()]));
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_to_do() {
    for (from, to, at, message) in [
        ("version = 1", "version = 2", "version", "only version 1 of a plan is known"),
        ("settle =", "setle =", "settle", "the plan cannot be read: unknown field `setle`, expected one of"),
        ("\"5s\"", "\"5 s\"", "settle", "no length of time: ` ` is no unit"),
        ("\"5s\"", "\"0s\"", "settle", "it is no time at all"),
        ("[\"target/debug/courier\"]", "[]", "command", "the worker's command is empty"),
        ("PORT = \"{port}\"", "PORT = \"{prot}\"", "PORT", "`{prot}` stands for nothing here"),
        ("health = \"http:", "health = \"https:", "health", "an address of the worker is plain HTTP"),
        ("\"message.json\"", "\"absent.json\"", "body = \"message", "cannot read"),
        ("is = \"49151{n}\"", "is = \"49151\"", "is = \"49151", "every event would lead to the same act"),
        (
            "provider = \"send_reply\"",
            "provider = \"send_replay\"",
            "provider = \"send_reply",
            "there is no [provider.send_replay]",
        ),
        ("\"body /to\"", "\"body to\"", "body /to", "`body to` is no part of a request"),
        ("replay-in-turn = 1", "replay-in-turns = 1", "replay-in-turn = 1", "there is no fault `replay-in-turns`"),
    ] {
        let told = wrong(from, to);
        let wanted = format!("{}: {message}", line_of(at));
        assert!(told.iter().any(|told| told.starts_with(&wanted)), "{wanted:?} is not in {told:#?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_rounds() {
    let plan = load(&sample()).unwrap();
    let one = rounds(&plan, 7, 3);
    assert_eq!(one, rounds(&plan, 7, 3));
    assert_ne!(one, rounds(&plan, 8, 3));
    let counted: u32 = plan.faults.iter().map(|(_, count)| count).sum();
    assert_eq!(one.len(), usize::try_from(3 * counted).unwrap());
    for (fault, count) in &plan.faults {
        assert_eq!(one.iter().filter(|round| round.fault == *fault).count(), usize::try_from(3 * count).unwrap());
    }
}

#[test]
fn without_a_table_of_faults_there_is_one_of_each() {
    let text = sample();
    let text = &text[..text.find("[faults]").unwrap()];
    assert_eq!(load(text).unwrap().faults.len(), faults::ALL.len());
    // Without a database no server can be restarted.
    let plan = read(&Source::new("chaos.toml", text), &folder(), None).unwrap();
    assert_eq!((plan.faults.len(), plan.ledger), (faults::ALL.len() - 1, Book::None));
    let told = read(&Source::new("chaos.toml", sample()), &folder(), None).unwrap_err().0;
    assert_eq!(told[0].message, "`postgres-restart` needs a database");
}

#[test]
fn an_adopted_ledger_is_as_the_manifest_has_it_and_its_words_are_the_plans() {
    let manifest = "version = 1\n[schema.adopt]\nactions = \"public.agent_actions\"\nkey = [\"tenant\", \"idem_key\"]\n\
        status = \"state\"\n";
    let manifest = onlyonce::manifest::check::check(&Source::new("onlyonce.toml", manifest), folder(), &[]).unwrap();
    let with =
        |ledger: &str| read(&Source::new("chaos.toml", format!("{}{ledger}", sample())), &folder(), Some(&manifest));
    let plan = with("[ledger]\nkind = \"adopted\"\nsent = [\"done\"]\nwaiting = [\"review\"]\n").unwrap();
    let Book::Adopted(book) = plan.ledger else { panic!("{:?}", plan.ledger) };
    assert_eq!((book.actions.as_str(), book.status.as_str()), ("public.agent_actions", "state"));
    assert_eq!(
        (book.key, book.sent, book.waiting),
        (vec!["tenant".into(), "idem_key".into()], vec!["done".into()], vec!["review".into()])
    );
    // Without its words nobody knows what its statuses mean.
    let told = with("[ledger]\nkind = \"adopted\"\n").unwrap_err().0;
    assert_eq!(told[0].message, "an adopted ledger is not described whole");
    let told = with("[ledger]\nkind = \"adopted\"\nsent = [\"done\"]\nstatus = \"x; DROP TABLE y\"\n").unwrap_err().0;
    assert_eq!(told[0].message, "`x; DROP TABLE y` is no plain name of a table or column");
    assert_eq!(with("").unwrap().ledger, Book::None);
}

#[test]
fn a_file_that_is_no_plan_is_told_apart_before_it_is_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let told = || onlyonce::chaos::plan::load(&path, "plan.toml", None).unwrap_err().0.remove(0);
    assert_eq!(told().message, "there is no plan at plan.toml");
    fs::write(&path, b"version = 1\nseed = \xff\n").unwrap();
    let fault = told();
    assert_eq!(fault.message, "plan.toml is not UTF-8: byte 19, on line 2, is 0xFF");
    let place = fault.place.unwrap();
    assert_eq!(place.source.position(place.span.start).line, 2);
    fs::write(&path, " ".repeat((1 << 20) + 1)).unwrap();
    assert_eq!(told().message, "plan.toml is larger than a plan may be: over 1048576 bytes");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(told().message, "plan.toml is no plan");
}
