//! The way to the server: passwords that nobody is shown, TLS as `sslmode` says, servers that are not there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use crate::ledger::{Ledger, go, pass_deadline, record};
use crate::program::{onlyonce, unfolded};
use crate::support::pooler::Pooler;
use crate::support::{Server, as_nobody, majors, server};

const PASSWORD: &str = "hunter2/@:?& '\\";
const ENCODED: &str = "hunter2%2F%40%3A%3F%26%20%27%5C";
const QUOTED: &str = r"'hunter2/@:?& \'\\'";

/// A server that asks for a password and speaks TLS alone, with a certificate for `db.example.org`.
struct Guarded {
    _server: Server,
    _ledger: Ledger,
    /// Its folder of certificates.
    place: PathBuf,
    /// Its own number on this machine, so that its port is free.
    number: String,
    name: String,
}

impl Guarded {
    async fn start() -> Guarded {
        let place = tempfile::Builder::new().prefix("onlyonce-tls-").tempdir().unwrap().keep();
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        certify(&place);
        let hba = "local all all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n";
        fs::write(place.join("hba"), hba).unwrap();
        static NUMBER: AtomicU32 = AtomicU32::new(7);
        let (pid, own) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let number = format!("127.{}.{}.{own}", 1 + pid % 250, pid / 250 % 250);
        let at = place.display();
        let settings = [
            format!("listen_addresses={number}"),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={at}/server.pem"),
            format!("ssl_key_file={at}/server.key"),
            format!("hba_file={at}/hba"),
        ];
        let server = Server::start(majors()[0], &settings.each_ref().map(String::as_str));
        let ledger = Ledger::on(&server).await;
        let quoted = PASSWORD.replace('\'', "''");
        let role = format!("CREATE ROLE kim LOGIN PASSWORD '{quoted}' IN ROLE onlyonce_operator");
        ledger.database.run(&role).await;
        let name = ledger.database.name.clone();
        Guarded { _server: server, _ledger: ledger, place, number, name }
    }

    fn url(&self, rest: &str) -> String {
        format!("postgres://kim:{ENCODED}@{}/{}{rest}", self.number, self.name)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// A signer, and a certificate for `db.example.org` that it signed.
fn certify(place: &Path) {
    fs::write(place.join("names"), "subjectAltName=DNS:db.example.org\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for step in [
        format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=signer -days 2"),
        format!("req {key} -keyout server.key -out server.csr -subj /CN=db.example.org"),
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out server.pem -extfile names"
            .to_owned(),
        format!("req -x509 {key} -keyout other.key -out other.pem -subj /CN=other -days 2"),
    ] {
        let made = as_nobody(Path::new("/usr/bin/openssl")).args(step.split(' ')).current_dir(place).output().unwrap();
        assert!(made.status.success(), "{step}: {}", String::from_utf8_lossy(&made.stderr));
    }
}

#[tokio::test]
async fn passwords_serve_in_every_place_and_are_never_shown() {
    let guarded = Guarded::start().await;
    let Guarded { number, name, .. } = &guarded;
    let stats = ["stats", "--verbose"];
    for url in [
        guarded.url(""),
        format!("postgres://kim@{number}/{name}?password={ENCODED}"),
        format!("host={number} dbname={name} user=kim password={QUOTED}"),
    ] {
        let ran = onlyonce(&url, &stats);
        assert_eq!(ran.code, 0, "{url}: {}", ran.err);
        assert!(ran.err.contains(&format!("database {name} at {number}:5432")), "{}", ran.err);
        assert!(!ran.err.contains("hunter2") && !ran.out.contains("hunter2"));
    }
    for (url, told) in [
        (format!("postgres://kim:hunter2x@{number}/{name}"), "password authentication failed for user \"kim\""),
        (format!("postgres://kim@{number}/{name}?password=hunter2x"), "password authentication failed"),
        (format!("host={number} dbname={name} user=kim password=hunter2x"), "password authentication failed"),
        (format!("postgres://kim@{number}/{name}"), "password missing"),
        (format!("postgres://kim:{ENCODED}@{number}/nowhere"), "database \"nowhere\" does not exist"),
        (format!("postgres://kim:{ENCODED}@{number}:1/{name}"), "Connection refused"),
        (format!("postgres://kim:{PASSWORD}@{number}/{name}"), "cannot be read"),
        (format!("postgres://kim:{ENCODED}@{number}/{name}?sslcert=x"), "`sslcert`, which is not supported"),
        (format!("postgres://kim:{ENCODED}@host.invalid/{name}"), "cannot reach database"),
    ] {
        let ran = onlyonce(&url, &["queue", "list", "--verbose"]);
        let said = unfolded(&ran.err);
        assert_eq!(ran.code, 2, "{url}: {said}");
        assert!(said.contains(told), "{told}: {said}");
        assert!(!said.contains("hunter2") && !ran.out.contains("hunter2"), "{said}");
        let given = onlyonce("", &["queue", "list", "--database-url", &url]);
        assert!(given.code == 2 && !given.err.contains("hunter2"), "{}", given.err);
        let astray = onlyonce("", &["queue", "list", &url]);
        assert!(astray.code == 2 && !astray.err.contains("hunter2"), "{}", astray.err);
    }
}

#[tokio::test]
async fn tls_is_as_safe_as_sslmode_says() {
    let guarded = Guarded::start().await;
    let root = format!("&sslrootcert={}", guarded.place.join("ca.pem").display());
    let other = format!("&sslrootcert={}", guarded.place.join("other.pem").display());
    let named = format!("&host=db.example.org&hostaddr={}", guarded.number);
    for rest in [
        String::new(),
        "?sslmode=prefer".to_owned(),
        "?sslmode=require".to_owned(),
        format!("?sslmode=require{root}"),
        format!("?sslmode=verify-ca{root}"),
        format!("?sslmode=verify-full{root}{named}"),
        format!("?sslmode=require&channel_binding=require{root}"),
    ] {
        let ran = onlyonce(&guarded.url(&rest), &["queue", "list"]);
        assert_eq!(ran.code, 0, "{rest}: {}", ran.err);
    }
    for (rest, told) in [
        ("?sslmode=disable".to_owned(), "no encryption"),
        (format!("?sslmode=require{other}"), "invalid peer certificate"),
        (format!("?sslmode=verify-ca{other}"), "invalid peer certificate"),
        (format!("?sslmode=verify-full{root}"), "invalid peer certificate"),
        ("?sslmode=verify-full&sslrootcert=/nowhere.pem".to_owned(), "cannot read the root certificate /nowhere.pem"),
        (
            format!("?sslmode=verify-full&sslrootcert={}", guarded.place.join("names").display()),
            "there is no root certificate in",
        ),
    ] {
        let told_so = onlyonce(&guarded.url(&rest), &["queue", "list"]).failed();
        assert!(told_so.contains(told), "{rest}: {told_so}");
    }
}

#[tokio::test]
async fn a_server_that_is_down_or_silent_is_told() {
    let place = tempfile::tempdir().unwrap();
    let url = format!("postgres://kim@localhost/agents?host={}", place.path().display());
    let told = onlyonce(&url, &["sweep"]).failed();
    assert!(told.contains("cannot reach database agents at ") && told.contains("is the server up"), "{told}");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let before = Instant::now();
    let told = onlyonce(&format!("postgres://kim@127.0.0.1:{port}/agents?connect_timeout=2"), &["sweep"]).failed();
    assert!(told.contains("did not answer within 2s"), "{told}");
    assert!(before.elapsed().as_secs() < 30);
    for args in [&["sweep"][..], &["queue", "list"], &["stats"]] {
        let told = onlyonce("", args).failed();
        assert!(told.contains("no database is named") && told.contains("DATABASE_URL"), "{told}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_on_a_decision_leaves_it_open_what_became_of_it() {
    let ledger = Ledger::on(server(majors()[0])).await;
    let worker = ledger.worker().await;
    go(&worker, "send", "a").await;
    pass_deadline().await;
    let end = "CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
        CREATE TRIGGER end_it BEFORE UPDATE ON onlyonce.actions FOR EACH ROW WHEN (NEW.status = 'sent')
          EXECUTE FUNCTION end_it();
        ALTER FUNCTION end_it() SECURITY DEFINER";
    ledger.database.run(end).await;
    let resolve = ["queue", "resolve", "send", "a", "--attempt=1", "--decision=sent", "--evidence=e", "--actor=kim"];
    let told = onlyonce(&ledger.database.url("person"), &resolve).failed();
    assert!(told.contains("whether the decision was kept is not known: look with `onlyonce queue show`"), "{told}");
}

#[tokio::test]
async fn a_pooler_in_transaction_mode_may_lie_in_between() {
    let ledger = Ledger::on(server(majors()[0])).await;
    let pooler = Pooler::start(&ledger.database, &["person", "keeper"], 1);
    let worker = ledger.worker().await;
    for key in ["a", "b", "c"] {
        let token = go(&worker, "send", key).await;
        record(&worker, "send", key, token, "rejected").await;
    }
    let (person, keeper) = (pooler.url("person"), pooler.url("keeper"));
    for _ in 0..2 {
        onlyonce(&person, &["queue", "list", "--type", "send", "--limit", "1"]).clean();
        onlyonce(&person, &["queue", "show", "send", "a"]).clean();
        onlyonce(&person, &["stats", "--format", "prometheus"]).clean();
        onlyonce(&keeper, &["sweep", "--max-rows", "1"]).clean();
        onlyonce(&keeper, &["purge"]).clean();
    }
    let resolve =
        ["queue", "resolve", "send", "a", "--attempt=1", "--decision=not_sent", "--evidence=e", "--actor=kim"];
    onlyonce(&person, &resolve).clean();
    // One server connection each: a setting that outlived its transaction would show in the next.
    let next = pooler.connect_as("person").await;
    for (setting, value) in [("transaction_read_only", "off"), ("statement_timeout", "0")] {
        let rows = next.simple_query(&format!("SHOW {setting}")).await.unwrap();
        let shown = rows.iter().find_map(|row| match row {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        assert_eq!(shown, Some(value), "{setting}");
    }
}
