//! What an address says, and what nobody is told of it.

use postgres::config::Host;

use super::*;

fn read(text: &str) -> Address {
    Address::read(text).unwrap_or_else(|fault| panic!("{text}: {}", fault.message))
}

fn wrong(text: &str) -> Fault {
    match Address::read(text) {
        Ok(_) => panic!("{text} was read"),
        Err(fault) => fault,
    }
}

#[test]
fn both_forms_say_the_same() {
    for text in [
        "postgres://kim:a%40b%2F'\\c@db.example.org:6432/agents?sslmode=verify-full&application_name=desk",
        "postgresql://kim:a%40b%2F'\\c@db.example.org:6432/agents?sslmode=verify-full&application_name=desk",
        "host=db.example.org port = 6432 user=kim password='a@b/\\'\\\\c' dbname=agents sslmode=verify-full application_name=desk",
    ] {
        let address = read(text);
        assert_eq!(address.config.get_hosts(), [Host::Tcp("db.example.org".to_owned())]);
        assert_eq!((address.config.get_ports(), address.user()), (&[6432][..], Some("kim")));
        assert_eq!(address.config.get_password(), Some(&b"a@b/'\\c"[..]));
        assert_eq!(address.config.get_application_name(), Some("desk"));
        assert_eq!((address.config.get_ssl_mode(), address.checks), (SslMode::Require, Checks::SignerAndHost));
        assert_eq!(address.shown(), "database agents at db.example.org:6432");
    }
}

#[test]
fn a_host_of_the_query_replaces_that_of_the_authority() {
    let address = read("postgres://kim@localhost/agents?host=/run/postgresql");
    assert_eq!(address.config.get_hosts(), [Host::Unix("/run/postgresql".into())]);
    let address = read("postgres://kim@%2Frun%2Fpostgresql/agents");
    assert_eq!(address.config.get_hosts(), [Host::Unix("/run/postgresql".into())]);
    let address = read("postgres://kim@[::1]:6432,b/agents");
    assert_eq!(address.config.get_hosts(), [Host::Tcp("::1".to_owned()), Host::Tcp("b".to_owned())]);
    assert_eq!(address.config.get_ports(), [6432, 5432]);
}

#[test]
fn sslmode_is_what_libpq_means_by_it() {
    for (mode, tls, checks) in [
        ("", SslMode::Prefer, Checks::Nothing),
        ("?sslmode=disable", SslMode::Disable, Checks::Nothing),
        ("?sslmode=allow", SslMode::Prefer, Checks::Nothing),
        ("?sslmode=prefer", SslMode::Prefer, Checks::Nothing),
        ("?sslmode=require", SslMode::Require, Checks::Nothing),
        ("?sslmode=require&sslrootcert=ca.pem", SslMode::Require, Checks::Signer),
        ("?sslmode=verify-ca", SslMode::Require, Checks::Signer),
        ("?sslmode=verify-full&sslrootcert=system", SslMode::Require, Checks::SignerAndHost),
    ] {
        let address = read(&format!("postgres://kim@db/agents{mode}"));
        assert_eq!((address.config.get_ssl_mode(), address.checks), (tls, checks), "{mode}");
        assert_eq!(address.root.is_some(), mode.contains("ca.pem"), "{mode}");
    }
}

#[test]
fn a_number_is_a_name_and_a_socket_has_no_tls() {
    let address = read("hostaddr=127.0.0.1 user=kim sslmode=verify-full");
    assert_eq!(address.config.get_hosts(), [Host::Tcp("127.0.0.1".to_owned())]);
    let address = read("host=/run/postgresql user=kim sslmode=require");
    assert_eq!(address.config.get_ssl_mode(), SslMode::Disable);
    assert_eq!(read("postgres://a,b/c?connect_timeout=3").patience(), Duration::from_secs(6));
}

#[test]
fn what_cannot_be_read_is_told_without_the_password() {
    for text in [
        "postgres://kim:hunter2@x@db/agents",
        "postgres://kim:hunter2/x@db/agents",
        "postgres://kim:hunter2?x@db/agents",
        "postgres://kim@db/agents?password=hunter2&hunter2=x",
        "postgres://kim:hunter2@db/agents?sslmode=hunter2",
        "postgres://kim:hunter2@db:hunter2/agents",
        "postgres://kim:%ffhunter2@db/agents",
        "postgres://kim:hunter2@[db/agents",
        "postgres://kim:hunter2@db/agents?connect_timeout=hunter2",
        "postgres://:hunter2@/agents",
        "host=db password=very hunter2 user=kim",
        "host=db password='hunter2",
        "password=hunter2 hunter2=x host=db",
        "password=hunter2",
        "hunter2",
        "mysql://kim:hunter2@db/agents",
        "postgres://kim:hunter2@db/agents?sslcert=hunter2",
        "",
    ] {
        let fault = wrong(text);
        assert!(!format!("{fault:?}").contains("hunter2"), "{text}: {fault:?}");
        assert!(fault.help.is_some(), "{text}");
    }
}

#[test]
fn what_other_programs_put_there_is_left_aside() {
    let address = read("postgres://kim@db/agents?schema=public&pgbouncer=true&connection_limit=5");
    assert_eq!(address.shown(), "database agents at db:5432");
    assert!(wrong("postgres://kim@db/agents?sslcert=c").message.contains("`sslcert`"));
}

proptest::proptest! {
    #[test]
    fn never_panics(text: String) {
        let _ = Address::read(&text);
        let _ = Address::read(&format!("postgres://{text}"));
    }

    #[test]
    fn every_password_survives(password in "[^\0]{1,30}") {
        let quoted = password.replace('\\', "\\\\").replace('\'', "\\'");
        let address = read(&format!("host=db password='{quoted}'"));
        proptest::prop_assert_eq!(address.config.get_password(), Some(password.as_bytes()));
        let encoded = percent_encoding::utf8_percent_encode(&password, percent_encoding::NON_ALPHANUMERIC);
        let address = read(&format!("postgres://kim:{encoded}@db"));
        proptest::prop_assert_eq!(address.config.get_password(), Some(password.as_bytes()));
    }
}
