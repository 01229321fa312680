//! A reservation is committed and on disk before its caller hears of it, or it is not made.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

use uuid::Uuid;

use crate::ledger::{Ledger, Refused, go, on_every_major, refusal, try_reserve};
use crate::support::{Server, majors};

/// The call with its values in the text.
fn call(key: &str) -> String {
    let token = Uuid::new_v4();
    format!("CALL onlyonce.reserve('send', '{key}', '{token}', '{{}}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
}

#[tokio::test]
async fn reserve_is_refused_inside_a_transaction_and_leaves_no_row() {
    on_every_major(inside_transaction).await;
}

pub(crate) async fn inside_transaction(ledger: &Ledger) {
    let mut worker = ledger.worker().await;
    assert_eq!(refusal(&worker, &format!("BEGIN; {}", call("begin"))).await, "2D000", "simple, after BEGIN");
    worker.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(
        refusal(&worker, &format!("SELECT 1; {}", call("several"))).await,
        "2D000",
        "simple, several statements"
    );
    assert_eq!(
        refusal(&worker, &format!("{}; SELECT 1", call("first"))).await,
        "2D000",
        "simple, the first of several"
    );
    assert_eq!(
        refusal(&worker, &format!("DO $$ BEGIN {}; END $$", call("block").replace("NULL", "v"))).await.get(..2),
        Some("42"),
        "a block has to name variables"
    );
    let transaction = worker.transaction().await.unwrap();
    let in_transaction =
        try_reserve(transaction.client(), "send", "extended", Uuid::new_v4(), &serde_json::json!({})).await;
    assert_eq!(in_transaction.map(|answer| answer.verdict), Err("2D000".to_owned()), "extended");
    drop(transaction);
    let write = "SELECT onlyonce.confirm('send', 'nothing', 'm', 'e'), pg_current_xact_id()";
    assert_eq!(pipelined(ledger, &[write, &call("pipelined")]), ["2D000"], "pipelined, after a write");
    assert_eq!(pipelined(ledger, &["BEGIN", &call("pipelined")]), ["2D000"], "pipelined, after BEGIN");
    assert_eq!(ledger.root.query("SELECT FROM onlyonce.actions", &[]).await.unwrap().len(), 0);
    // After a mere read it is refused, or committed at once: what follows takes nothing of it back.
    let refused = pipelined(ledger, &["SELECT 1", &call("pipelined"), "SELECT 1 / 0"]);
    let rows = ledger.root.query("SELECT FROM onlyonce.actions", &[]).await.unwrap().len();
    assert!([("2D000", 0), ("22012", 1)].contains(&(refused[0].as_str(), rows)), "{refused:?}, {rows} rows");
}

/// Sends statements by the extended protocol with one Sync behind all of them; the errors.
fn pipelined(ledger: &Ledger, statements: &[&str]) -> Vec<Refused> {
    let mut stream = UnixStream::connect(ledger.database.socket()).unwrap();
    let parameters = format!("user\0worker\0database\0{}\0\0", ledger.database.name);
    let mut startup = u32::try_from(parameters.len() + 8).unwrap().to_be_bytes().to_vec();
    startup.extend(196_608_u32.to_be_bytes());
    startup.extend(parameters.as_bytes());
    stream.write_all(&startup).unwrap();
    until_ready(&mut stream);
    let mut messages = Vec::new();
    for statement in statements {
        push(&mut messages, b'P', format!("\0{statement}\0\0\0").as_bytes());
        push(&mut messages, b'B', &[0; 8]);
        push(&mut messages, b'E', &[0; 5]);
    }
    push(&mut messages, b'S', &[]);
    stream.write_all(&messages).unwrap();
    until_ready(&mut stream)
}

fn push(messages: &mut Vec<u8>, kind: u8, body: &[u8]) {
    messages.push(kind);
    messages.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
    messages.extend(body);
}

/// Reads until the server is ready for more; the SQLSTATE of each error on the way.
fn until_ready(stream: &mut UnixStream) -> Vec<Refused> {
    let mut errors = Vec::new();
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body).unwrap();
        match head[0] {
            b'Z' => return errors,
            b'E' => {
                let text = String::from_utf8_lossy(&body).into_owned();
                errors.extend(text.split('\0').find_map(|field| field.strip_prefix('C')).map(str::to_owned));
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_reservation_is_durable_where_the_role_s_commits_are_not() {
    for major in majors() {
        let server = Server::start(major, &["synchronous_commit=off", "wal_writer_delay=10s"]);
        durable(&Ledger::on(&server).await, &server).await;
    }
}

/// Every acknowledged reservation and outcome is there after a crash.
pub(crate) async fn durable(ledger: &Ledger, server: &Server) {
    ledger.database.run("ALTER ROLE worker SET synchronous_commit = off; CHECKPOINT").await;
    let worker = ledger.worker().await;
    for turn in 0..20 {
        let token = go(&worker, "send", &format!("recorded-{turn}")).await;
        crate::ledger::record(&worker, "send", &format!("recorded-{turn}"), token, "sent").await;
        go(&worker, "send", &format!("reserved-{turn}")).await;
    }
    server.crash();
    let root = ledger.database.connect().await;
    let rows = root.query("SELECT status FROM onlyonce.actions ORDER BY status", &[]).await.unwrap();
    let count = |status: &str| rows.iter().filter(|row| row.get::<_, &str>(0) == status).count();
    assert_eq!((count("pending"), count("sent")), (20, 20));
}

#[tokio::test]
async fn a_stricter_commit_setting_is_left_alone() {
    on_every_major(stricter).await;
}

pub(crate) async fn stricter(ledger: &Ledger) {
    // Deferred: it looks when the transaction commits. No standby is named, so remote_apply waits for nobody.
    let probe = "CREATE FUNCTION public.seen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO public.settings VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
        CREATE TABLE public.settings (setting text);
        CREATE CONSTRAINT TRIGGER probe AFTER INSERT OR UPDATE ON onlyonce.actions DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION public.seen()";
    ledger.database.run(probe).await;
    for (setting, wanted) in
        [("off", "on"), ("local", "on"), ("remote_write", "on"), ("on", "on"), ("remote_apply", "remote_apply")]
    {
        let worker = ledger.worker().await;
        worker.batch_execute(&format!("SET synchronous_commit = {setting}")).await.unwrap();
        let token = go(&worker, "send", setting).await;
        crate::ledger::record(&worker, "send", setting, token, "sent").await;
        let seen = ledger.root.query("DELETE FROM public.settings RETURNING setting", &[]).await.unwrap();
        let seen: Vec<&str> = seen.iter().map(|row| row.get(0)).collect();
        assert_eq!(seen, [wanted, wanted], "{setting}");
        let after: String = worker.query_one("SHOW synchronous_commit", &[]).await.unwrap().get(0);
        assert_eq!(after, setting, "the session's own setting");
    }
}
