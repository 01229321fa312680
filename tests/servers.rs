//! The throw-away servers that other tests stand on.

mod support;

use support::{Server, majors, server};

#[tokio::test]
async fn every_wanted_major_answers() {
    for major in majors() {
        let database = server(major).database().await;
        let row = database.connect().await.query_one("SHOW server_version_num", &[]).await.unwrap();
        let version: u32 = row.get::<_, String>(0).parse().unwrap();
        assert_eq!(version / 10_000, major);
    }
}

#[tokio::test]
async fn a_crash_keeps_what_was_committed_and_ends_connections() {
    let server = Server::start(15, &[]);
    let database = server.database().await;
    let before = database.connect().await;
    before.batch_execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)").await.unwrap();
    server.crash();
    assert!(before.simple_query("SELECT 1").await.is_err(), "the old connection outlived the crash");
    assert_eq!(database.connect().await.query("SELECT a FROM t", &[]).await.unwrap().len(), 1);
}
