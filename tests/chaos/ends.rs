//! However a run ends, nothing that it started is left.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::courier::Place;
use crate::support;

/// Processes that have this word in their environment or command line, zombies left out.
fn alive(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let path = entry.path();
        let read = |name: &str| fs::read(path.join(name)).unwrap_or_default();
        let (words, environment) = (read("cmdline"), read("environ"));
        let holds = |bytes: &[u8]| bytes.windows(word.len()).any(|part| part == word.as_bytes());
        if !words.is_empty() && (holds(&words) || holds(&environment)) {
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

fn none_is_left(word: &str) {
    let limit = Instant::now() + Duration::from_secs(15);
    while !alive(word).is_empty() {
        assert!(Instant::now() < limit, "still there: {:#?}", alive(word));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Starts a long run with its temporary files in a folder of its own, and waits until its worker and server are up.
fn started(place: &Place) -> (std::process::Child, String) {
    place.plan(&[], "[faults]\nreplay-in-turn = 1000\n");
    let temporary = place.0.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    for path in [place.0.path(), &temporary] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut command = place.command(&[]);
    command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let word = temporary.display().to_string();
    let limit = Instant::now() + Duration::from_secs(60);
    let up =
        || alive(&word).iter().any(|line| line.contains("courier")) && fs::read_dir(&temporary).unwrap().count() == 1;
    while !up() {
        assert!(Instant::now() < limit, "the run did not start: {:#?}", alive(&word));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    (child, word)
}

fn send(signal: &str, id: u32) {
    assert!(Command::new("kill").args(["-s", signal, &id.to_string()]).status().unwrap().success());
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let place = Place::new();
    let (child, word) = started(&place);
    assert!(alive(&word).iter().any(|line| line.contains("postgres")), "{:#?}", alive(&word));
    send("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the run was interrupted"), "{said}");
    none_is_left(&word);
    assert_eq!(fs::read_dir(place.0.path().join("tmp")).unwrap().count(), 0);
}

#[test]
fn a_killed_run_leaves_nothing() {
    let place = Place::new();
    let (mut child, word) = started(&place);
    send("KILL", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    none_is_left(&word);
    let limit = Instant::now() + Duration::from_secs(15);
    while fs::read_dir(place.0.path().join("tmp")).unwrap().count() > 0 {
        assert!(Instant::now() < limit, "its folder is still there");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What a run says that could not be done, with exit code 2.
fn says(place: &Place, arguments: &[&str], wanted: &str) -> String {
    let output = place.command(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.status.code() == Some(2) && words.contains(wanted), "{wanted:?} is not in\n{said}");
    assert!(output.stdout.is_empty());
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_cannot_do_its_work_says_why() {
    let server = support::Server::start(support::majors()[0], &["fsync=off"]);
    let url = server.database().await.url(support::SUPERUSER);
    let given = ["--database-url", url.as_str()];
    let place = Place::new();
    place.plan(&[("time_limit = \"10m\"", "time_limit = \"3s\"")], "[faults]\nreplay-in-turn = 1000\n");
    says(&place, &given, "the time limit of 3s was over in round");
    let changed = |changes: &[(&str, &str)]| {
        let place = Place::new();
        let changes = [changes, &[("settle = \"5s\"", "settle = \"1s\"")]].concat();
        place.plan(&changes, "[faults]\nreplay-in-turn = 1\n");
        place
    };
    says(&changed(&[("target/debug/courier", "./nothing")]), &given, "cannot start the worker `./nothing`");
    // Our own variable of this name does not get through, unless the plan names it.
    let place = changed(&[("PROVIDER_URL = ", "NO_PROVIDER_URL = ")]);
    says(&place, &given, "the worker ended as it started; its last words:");
    let named = "NO_PROVIDER_URL = ";
    let inherit = ("[worker.environment]", "inherit = [\"PROVIDER_URL\"]\n[worker.environment]");
    let place = changed(&[("PROVIDER_URL = ", named), inherit]);
    says(&place, &given, "no request of the worker ever came to the provider");
    let place = changed(&[
        ("{port}/health", "{port}/absent"),
        ("[worker.environment]", "start_within = \"1s\"\n[worker.environment]"),
    ]);
    says(&place, &given, "the worker was not up within 1s");
    let place = changed(&[("\"{provider_url}\"", "\"http://127.0.0.1:9\"")]);
    says(&place, &given, "no request of the worker ever came to the provider");
    let place = changed(&[("[provider.send_reply]", "[database]\nsetup = [\"rows.sql\"]\n[provider.send_reply]")]);
    fs::write(place.0.path().join("rows.sql"), "SELECT 1; CREATE TABEL t ();").unwrap();
    says(&place, &given, "rows.sql could not be applied: syntax error at or near \"TABEL\"");
    fs::write(place.0.path().join("rows.sql"), "INSERT INTO replies (id, status, recipient) VALUES ('a', 'sent', 'b')")
        .unwrap();
    assert_eq!(place.command(&given).output().unwrap().status.code(), Some(0));
    let place = changed(&[("[provider.send_reply]", "[database]\nmigrations = \"absent\"\n[provider.send_reply]")]);
    says(&place, &given, "there is no migration in");
    let secret = "postgres://kim:hunter2@127.0.0.1:9/agents";
    let said = says(&changed(&[]), &["--database-url", secret], "cannot reach database agents at 127.0.0.1:9");
    assert!(!said.contains("hunter2"), "{said}");
    // Each run on a server that is given has dropped its database.
    let client = server.database().await.connect().await;
    let left =
        client.query("SELECT datname FROM pg_database WHERE datname LIKE 'onlyonce_chaos_%'", &[]).await.unwrap();
    let left: Vec<String> = left.iter().map(|row| row.get(0)).collect();
    assert_eq!(left, [""; 0]);
}
