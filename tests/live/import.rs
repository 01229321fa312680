//! What was sent without the ledger is brought in.

use serde_json::{Value, json};

use crate::ledger::{Ledger, go, on_every_major, pass_deadline, record, reserve};
use crate::program::{Ran, person, run, run_with, sends, unfolded, watcher};

const REST: [&str; 6] = ["--sent-at", "2026-01-06T12:46:40+01:00", "--evidence", "the log", "--actor", "kim"];

fn import(rest: &[&str]) -> Vec<String> {
    [&["import"], rest, &REST].concat().into_iter().map(str::to_owned).collect()
}

fn one(ledger: &Ledger, rest: &[&str]) -> Ran {
    let words = import(rest);
    person(ledger, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Imports these lines from standard input.
fn lines(ledger: &Ledger, input: &[u8], rest: &[&str]) -> Ran {
    let args = [&["import", "--file", "-", "--actor", "kim"], rest].concat();
    run_with(&std::env::temp_dir(), &ledger.database.url("person"), &args, input)
}

#[tokio::test]
async fn what_was_sent_without_the_ledger_is_not_sent_again() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        assert_eq!(
            one(ledger, &["send", "-9:1"]).clean(),
            "send -9:1 is imported as sent: nothing sends it any more\n"
        );
        assert_eq!(one(ledger, &["send", "-9:1"]).clean(), "send -9:1 is already sent: nothing sends it any more\n");
        go(&worker, "send", "restored").await;
        one(ledger, &["send", "restored"]).clean();
        for key in ["-9:1", "restored"] {
            assert_eq!(reserve(&worker, "send", key).await, "sent", "{key}");
        }
        let kept = "SELECT concat_ws(' ', extract(epoch FROM settled_at)::bigint, step, evidence, actor)
            FROM onlyonce.actions WHERE idempotency_key = '-9:1'";
        let kept: String = ledger.root.query_one(kept, &[]).await.unwrap().get(0);
        assert_eq!(kept, "1767700000 import the log kim");
    })
    .await;
}

#[tokio::test]
async fn an_import_that_is_refused_says_why() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        let token = go(&worker, "send", "refused").await;
        record(&worker, "send", "refused", token, "rejected").await;
        for (words, wanted) in [
            (&["nothing", "a"][..], &["there is no action type nothing", "named as in onlyonce.toml"][..]),
            (&["send", "a b"], &["needs a key of 1 to 200 printable ASCII characters", "as the ledger has it"]),
            (&["send", "refused"], &["cannot go failed(rejected) -> sent", "can be abandoned on this evidence"]),
            (&["send", "a", "--file", "-"], &["--file"]),
            (&["send"], &["onlyonce import TYPE --part VALUE", "onlyonce import --file FILE"]),
            (&[], &["onlyonce import TYPE --part VALUE", "onlyonce import --file FILE"]),
            (&["send", "--part", "a"], &["no onlyonce.toml says what the key of send is made of"]),
        ] {
            let told = one(ledger, words).failed();
            assert!(wanted.iter().all(|wanted| told.contains(wanted)), "{wanted:?}\n{told}");
        }
        let (folder, words) = (sends(), import(&["sned", "--part", "a"]));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let told = run(folder.path(), &ledger.database.url("person"), &words).failed();
        assert!(told.contains("onlyonce.toml has no action type sned"), "{told}");
        assert!(told.contains("help: did you mean send?"), "{told}");
        let future = "2999-01-01T00:00:00Z";
        for (time, evidence, wanted) in [
            (future, "e", "and not one to come"),
            ("2026-01-06", "e", "no time with its offset from UTC: write it as 2026-01-06T11:46:40Z or"),
            ("2026-01-06T11:46:40Z", " ", "it says nothing"),
        ] {
            let args = ["import", "send", "a", "--sent-at", time, "--evidence", evidence, "--actor", "kim"];
            let told = person(ledger, &args).failed();
            assert!(told.contains(wanted), "{wanted}\n{told}");
        }
        let words = import(&["send", "a"]);
        let told = watcher(ledger, &words.iter().map(String::as_str).collect::<Vec<_>>()).failed();
        assert!(told.contains("GRANT onlyonce_operator TO watcher"), "{told}");
        assert_eq!(reserve(&worker, "send", "a").await, "go", "nothing of it was kept");
    })
    .await;
}

#[tokio::test]
async fn a_bad_line_is_told_with_its_number_and_holds_no_other_back() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        let token = go(&worker, "send", "refused").await;
        record(&worker, "send", "refused", token, "rejected").await;
        let line =
            |key: &str| json!({"action_type": "send", "idempotency_key": key, "sent_at": "2026-01-06T11:46:40Z"});
        let mut input = format!("\u{feff}{}\r\n\n{}\nnot json\n", line("a"), line("refused")).into_bytes();
        input.extend(b"{\"action_type\": \"\xff\"}\n");
        let misspelt = json!({"action_type": "send", "key": "x", "sent_at": "2026-01-06T11:46:40Z"});
        input.extend(format!("{misspelt}\n{}\n{}\n{}", line("a b"), line("\u{0}"), line("last")).bytes());
        let ran = lines(ledger, &input, &["--evidence", "the log"]);
        assert_eq!((ran.code, ran.out.as_str()), (1, "2 actions imported, 0 already sent, 6 lines not taken\n"));
        let told = unfolded(&ran.err);
        for wanted in [
            "standard input:3: an action of type send cannot go failed(rejected) -> sent",
            "standard input:4: the line is not JSON: expected ident (column 2)",
            "standard input:5: the line is not JSON: invalid unicode code point",
            "standard input:6: unknown field `key`",
            "standard input:7: an import of send needs a key",
            "standard input:8: ",
        ] {
            assert!(told.contains(wanted), "{wanted}\n{told}");
        }
        for key in ["a", "last"] {
            assert_eq!(reserve(&worker, "send", key).await, "sent", "{key}");
        }
        let ran = lines(ledger, &input, &["--evidence", "the log", "--format", "json"]);
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["summary"], json!({"imported": 0, "already": 2, "left": 6}));
        let numbers: Vec<_> = document["left"].as_array().unwrap().iter().map(|left| left["line"].as_u64()).collect();
        assert_eq!(numbers, [3, 4, 5, 6, 7, 8].map(Some));
    })
    .await;
}

#[tokio::test]
async fn of_many_lines_all_but_the_bad_one_are_kept() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let line = |number: usize| {
        let key = if number == 150 { "a b".to_owned() } else { format!("k{number}") };
        json!({"action_type": "send", "idempotency_key": key, "sent_at": "2026-01-06T11:46:40Z"}).to_string() + "\n"
    };
    let input: String = (1..=250).map(line).collect();
    let ran = lines(&ledger, input.as_bytes(), &["--evidence", "the log"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "249 actions imported, 0 already sent, 1 line not taken\n"));
    assert!(ran.err.contains("standard input:150: an import of send needs a key"), "{}", ran.err);
    let kept = "SELECT count(*) FROM onlyonce.actions WHERE status = 'sent'";
    assert_eq!(ledger.root.query_one(kept, &[]).await.unwrap().get::<_, i64>(0), 249);
}

#[tokio::test]
async fn each_line_may_bring_its_own_evidence_and_one_has_to_be_there() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let input = r#"{"action_type": "send", "idempotency_key": "a", "sent_at": "2026-01-06T11:46:40Z", "evidence": "its own"}
        {"action_type": "send", "idempotency_key": "b", "sent_at": "2026-01-06T11:46:40Z"}"#;
    let ran = lines(&ledger, input.as_bytes(), &[]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "1 action imported, 0 already sent, 1 line not taken\n"));
    assert!(ran.err.contains("standard input:2: nothing shows that it was sent"), "{}", ran.err);
    let said = lines(&ledger, input.as_bytes(), &["--evidence", "for all"]).clean();
    assert_eq!(said, "1 action imported, 1 already sent\n");
    let kept = "SELECT string_agg(evidence, ', ' ORDER BY idempotency_key) FROM onlyonce.actions";
    let kept: String = ledger.root.query_one(kept, &[]).await.unwrap().get(0);
    assert_eq!(kept, "its own, for all");
}

#[tokio::test]
async fn what_no_line_would_get_past_is_told_once() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let input = json!({"action_type": "send", "idempotency_key": "a", "sent_at": "2026-01-06T11:46:40Z"}).to_string();
    let args = ["import", "--file", "-", "--evidence", "e", "--actor", "kim"];
    let input = format!("{input}\n{input}\n");
    let ran = run_with(&std::env::temp_dir(), &ledger.database.url("watcher"), &args, input.as_bytes());
    assert_eq!(ran.err.matches("may not import").count(), 1, "{}", ran.err);
    assert!(ran.failed().contains("GRANT onlyonce_operator TO watcher"));
    let told = person(&ledger, &["import", "--file", "/nowhere/x.jsonl", "--evidence", "e", "--actor", "kim"]).failed();
    assert!(told.contains("cannot read /nowhere/x.jsonl"), "{told}");
}

#[tokio::test]
async fn parts_become_the_key_that_the_manifest_says() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let place = tempfile::tempdir().unwrap();
    let manifest = "version = 1\n[schema]\nname = \"onlyonce\"\n[action.send]\nsummary = \"s\"\nsame_when = \"m\"\n\
        key = [\"message: text\", \"step: integer\", \"to: email\"]\n";
    std::fs::write(place.path().join("onlyonce.toml"), manifest).unwrap();
    let url = ledger.database.url("person");
    let rest = ["--part", "a b", "--part", "007", "--part", "kim@EXAMPLE.org"];
    let words = import(&[&["send"][..], &rest].concat());
    let said = run(place.path(), &url, &words.iter().map(String::as_str).collect::<Vec<_>>()).clean();
    let key = onlyonce::key::canonical(&[
        "a b".to_owned(),
        "7".to_owned(),
        onlyonce::key::PartType::Email.normalise("kim@example.org").unwrap(),
    ]);
    assert_eq!(said, format!("send {key} is imported as sent: nothing sends it any more\n"));
    let line =
        json!({"action_type": "send", "parts": ["a b", "7", "kim@example.org"], "sent_at": "2026-01-06T11:46:40Z"});
    std::fs::write(place.path().join("sent.jsonl"), format!("{line}\n")).unwrap();
    let from_file = ["import", "--file", "sent.jsonl", "--evidence", "e", "--actor", "kim"];
    assert_eq!(run(place.path(), &url, &from_file).clean(), "0 actions imported, 1 already sent\n");
    for (parts, wanted) in [
        (&["--part", "a"][..], "the key of send has 3 parts, not 1"),
        (&["--part", "a", "--part", "b", "--part", "c"], "b is no integer, which step of send is"),
    ] {
        let words = import(&[&["send"][..], parts].concat());
        let told = run(place.path(), &url, &words.iter().map(String::as_str).collect::<Vec<_>>()).failed();
        assert!(told.contains(wanted) && told.contains("in this order: message, step, to"), "{wanted}\n{told}");
    }
}

/// What is kept under such a key is never found, and the real act goes all the same.
#[tokio::test]
async fn a_key_that_no_worker_derives_is_refused_and_one_that_it_does_is_kept() {
    let ledger = Ledger::on(crate::support::server(crate::support::majors()[0])).await;
    let place = tempfile::tempdir().unwrap();
    let manifest = |key: &str| {
        let head = "version = 1\n[action.send]\nsummary = \"s\"\nsame_when = \"m\"\n";
        std::fs::write(place.path().join("onlyonce.toml"), format!("{head}key = [{key}]\n")).unwrap();
    };
    let url = ledger.database.url("person");
    let given = |key: &str| {
        let words = import(&["send", key]);
        run(place.path(), &url, &words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let two = "\"message: text\", \"step: integer\"";
    for (parts, key, wanted) in [
        (
            "\"order: uuid\"",
            "not-a-uuid",
            &["order (uuid) is not as", "key is <order: uuid>; give --part <order>,"][..],
        ),
        (two, "wamid.8", &["that has 2 parts, not 1", "--part <message> --part <step>"]),
        (two, "bad:key:x", &["that has 2 parts, not 3"]),
        (two, "wamid.8:x", &["step (integer) is not as"]),
        (two, "wamid.8=:01", &["message (text) is not as", "did you mean wamid.8%3D:1?"]),
    ] {
        manifest(parts);
        let told = given(key).failed();
        assert!(told.contains(&format!("{key} is no key of send: ")), "{told}");
        assert!(wanted.iter().all(|wanted| told.contains(wanted)), "{wanted:?}\n{told}");
    }
    given("wamid.8%3D:1").clean();
    given(&onlyonce::key::canonical(&["x".repeat(200), "1".to_owned()])).clean();
    let line = |key: &str| json!({"action_type": "send", "idempotency_key": key, "sent_at": "2026-01-06T11:46:40Z"});
    let lines = format!("{}\n{}\n{}\n", line("wamid.8"), line("wamid.9:1"), line("bad:key:x"));
    std::fs::write(place.path().join("sent.jsonl"), lines).unwrap();
    let from_file = ["import", "--file", "sent.jsonl", "--evidence", "e", "--actor", "kim"];
    let ran = run(place.path(), &url, &from_file);
    assert_eq!((ran.code, ran.out.as_str()), (1, "1 action imported, 0 already sent, 2 lines not taken\n"));
    let told = unfolded(&ran.err);
    for wanted in ["sent.jsonl:1: wamid.8 is no key", "sent.jsonl:3: bad:key:x is no key", "\"parts\": [..]"] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
    let kept: i64 = ledger.root.query_one("SELECT count(*) FROM onlyonce.actions", &[]).await.unwrap().get(0);
    assert_eq!(kept, 3);
}

#[tokio::test]
async fn an_import_of_what_waits_settles_it() {
    on_every_major(async |ledger| {
        let worker = ledger.worker().await;
        go(&worker, "send", "a").await;
        pass_deadline().await;
        one(ledger, &["send", "a"]).clean();
        assert_eq!(person(ledger, &["queue", "list"]).clean(), "nothing waits for a person\n");
    })
    .await;
}
