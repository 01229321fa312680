//! Where the database is: `postgres://user:password@host/name?sslmode=verify-full`, or libpq's `host=.. user=..`.
//!
//! Both forms become pairs first. The driver knows neither `verify-ca` and `verify-full` nor `sslrootcert`, it adds
//! the host of the query to that of the authority where libpq replaces it, and what it says of a text that it cannot
//! read may repeat a part of a password.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use postgres::Config;
use postgres::config::SslMode;

use crate::diagnostic::Fault;
use crate::escape::shown;

/// The longest that connecting to one host may take, where the address says nothing else.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What the driver understands; `sslmode` and `sslrootcert` are ours.
const OPTIONS: [&str; 20] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// What other programs take in an address and means nothing here: left aside.
const IGNORED: [&str; 10] = [
    "client_encoding",
    "connection_limit",
    "fallback_application_name",
    "gssencmode",
    "passfile",
    "pgbouncer",
    "pool_timeout",
    "schema",
    "socket_timeout",
    "statement-cache-capacity",
];

/// Options that would change how safe the connection is, or who one is there, and that are not taken.
const REFUSED: [&str; 8] =
    ["krbsrvname", "requirepeer", "service", "sslcert", "sslcrl", "sslkey", "sslpassword", "ssl_min_protocol_version"];

/// How much of the server's certificate is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// `disable`, `allow`, `prefer`, `require`: nothing, as libpq does.
    Nothing,
    /// `verify-ca`: whether somebody trusted signed it.
    Signer,
    /// `verify-full`: that, and whether it is for this host.
    SignerAndHost,
}

/// A database's address. Shows itself without the password, and has no `Debug` that could show it.
pub struct Address {
    pub(super) config: Config,
    pub(super) checks: Checks,
    pub(super) root: Option<PathBuf>,
    shown: String,
}

impl Address {
    /// Reads either form.
    ///
    /// # Errors
    /// When it cannot be read. What is said of it repeats no part of it but the names of known options.
    pub fn read(text: &str) -> Result<Address, Fault> {
        let mut pairs = BTreeMap::new();
        let given = match text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://")) {
            Some(rest) => url(rest)?,
            None => words(text)?,
        };
        for (name, value) in given {
            match name.as_str() {
                name if OPTIONS.contains(&name) => drop(pairs.insert(name.to_owned(), value)),
                name if IGNORED.contains(&name) => {}
                name if REFUSED.contains(&name) => {
                    return Err(Fault::new(format!("the database address sets `{name}`, which is not supported"))
                        .with_help("take it out, or go through a pooler or tunnel that does this"));
                }
                _ => return Err(unreadable("it sets an option that is not known")),
            }
        }
        Address::of(&mut pairs)
    }

    fn of(pairs: &mut BTreeMap<String, String>) -> Result<Address, Fault> {
        let root = pairs.remove("sslrootcert").filter(|path| path != "system").map(PathBuf::from);
        let (mode, checks) = match pairs.remove("sslmode").as_deref() {
            Some("disable") => (SslMode::Disable, Checks::Nothing),
            None | Some("allow" | "prefer") => (SslMode::Prefer, Checks::Nothing),
            // As libpq: who names a root certificate wants it looked at.
            Some("require") if root.is_some() => (SslMode::Require, Checks::Signer),
            Some("require") => (SslMode::Require, Checks::Nothing),
            Some("verify-ca") => (SslMode::Require, Checks::Signer),
            Some("verify-full") => (SslMode::Require, Checks::SignerAndHost),
            Some(_) => {
                return Err(unreadable("its sslmode is none of those that are known")
                    .with_help("write disable, prefer, require, verify-ca or verify-full"));
            }
        };
        if !["host", "hostaddr"].iter().any(|name| pairs.get(*name).is_some_and(|host| !host.is_empty())) {
            return Err(unreadable("it names no host"));
        }
        // The driver takes a certificate for a name alone, as libpq does for a number too.
        if let (None, Some(number)) = (pairs.get("host"), pairs.get("hostaddr").cloned()) {
            pairs.insert("host".to_owned(), number);
        }
        // A socket of this machine has no TLS, whatever is asked for: as libpq.
        let is_socket = pairs.get("host").is_some_and(|hosts| hosts.split(',').all(|host| host.starts_with('/')));
        let mode = if is_socket { SslMode::Disable } else { mode };
        let shown = describe(pairs);
        let mut config: Config = rendered(pairs).parse().map_err(|_| unreadable("one of its values is not valid"))?;
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("onlyonce");
        }
        Ok(Address { config, checks, root, shown })
    }

    /// The longest that connecting may take in all: every host may use its time up.
    pub(super) fn patience(&self) -> Duration {
        let hosts = self.config.get_hosts().len().max(1);
        let each = self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
        each.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX))
    }

    /// Host, port and database, for people; never the password.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The role that connects, where the address names one.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.config.get_user()
    }
}

fn unreadable(why: &str) -> Fault {
    Fault::new(format!("the database address cannot be read: {why}")).with_help(
        "write postgres://user:password@host:5432/database?sslmode=verify-full, with %40 for a @ in a name or password",
    )
}

/// What stands behind `postgres://`.
fn url(rest: &str) -> Result<Vec<(String, String)>, Fault> {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(end);
    // A `/` or `?` in a password would put the rest of it into the database's name, and from there into messages.
    if authority.matches('@').count() > 1 || behind.contains('@') {
        return Err(unreadable("a `@` stands where none may, so where the password ends cannot be told"));
    }
    let (person, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (path, query) = behind.split_once('?').unwrap_or((behind, ""));
    let mut pairs = Vec::new();
    let (user, password) = person.split_once(':').map_or((person, None), |(user, password)| (user, Some(password)));
    if !user.is_empty() {
        pairs.push(("user".to_owned(), decoded(user)?));
    }
    if let Some(password) = password {
        pairs.push(("password".to_owned(), decoded(password)?));
    }
    if !hosts.is_empty() {
        pairs.extend(places(hosts)?);
    }
    if let Some(name) = path.strip_prefix('/').filter(|name| !name.is_empty()) {
        pairs.push(("dbname".to_owned(), decoded(name)?));
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| unreadable("an option has no value"))?;
        pairs.push((decoded(name)?, decoded(value)?));
    }
    Ok(pairs)
}

/// `host1:1234,[::1],host3` as the lists that the driver reads.
fn places(hosts: &str) -> Result<[(String, String); 2], Fault> {
    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for place in hosts.split(',') {
        let (name, port) = match place.strip_prefix('[').map(|inner| inner.split_once(']')) {
            Some(Some((name, behind))) => (name, behind.strip_prefix(':').unwrap_or_default()),
            Some(None) => return Err(unreadable("a `[` is not closed")),
            None => place.split_once(':').unwrap_or((place, "")),
        };
        names.push(decoded(name)?);
        ports.push(decoded(port)?);
    }
    Ok([("host".to_owned(), names.join(",")), ("port".to_owned(), ports.join(","))])
}

fn decoded(text: &str) -> Result<String, Fault> {
    let plain = percent_encoding::percent_decode_str(text).decode_utf8();
    plain.map(String::from).map_err(|_| unreadable("what it percent-encodes is no UTF-8"))
}

/// `host=db user='a b'`: quotes around what holds blanks, a backslash before a quote or a backslash.
fn words(text: &str) -> Result<Vec<(String, String)>, Fault> {
    let mut pairs = Vec::new();
    let mut letters = text.chars().peekable();
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        if letters.peek().is_none() {
            return Ok(pairs);
        }
        let mut name = String::new();
        while let Some(letter) = letters.next_if(|letter| *letter != '=' && !letter.is_whitespace()) {
            name.push(letter);
        }
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        letters.next_if_eq(&'=').ok_or_else(|| unreadable("a word in it has no `=`"))?;
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        pairs.push((name, value(&mut letters)?));
    }
}

fn value(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<String, Fault> {
    let quoted = letters.next_if_eq(&'\'').is_some();
    let mut value = String::new();
    while let Some(letter) = letters.next_if(|letter| quoted || !letter.is_whitespace()) {
        match letter {
            '\'' if quoted => return Ok(value),
            '\\' => value.extend(letters.next()),
            letter => value.push(letter),
        }
    }
    if quoted { Err(unreadable("a quote is not closed")) } else { Ok(value) }
}

/// The pairs as the driver reads them.
fn rendered(pairs: &BTreeMap<String, String>) -> String {
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('\'', "\\'");
    let words: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}='{}'", quoted(value))).collect();
    words.join(" ")
}

fn describe(pairs: &BTreeMap<String, String>) -> String {
    let of = |name: &str| pairs.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let hosts: Vec<&str> = of("host").or_else(|| of("hostaddr")).unwrap_or_default().split(',').collect();
    let ports: Vec<&str> = of("port").unwrap_or_default().split(',').collect();
    let port = |place: usize| ports.get(place).or(ports.first()).copied().filter(|port| !port.is_empty());
    let places: Vec<String> = hosts
        .iter()
        .enumerate()
        .map(|(place, host)| format!("{}:{}", shown(host), shown(port(place).unwrap_or("5432"))))
        .collect();
    match of("dbname").or_else(|| of("user")) {
        Some(name) => format!("database {} at {}", shown(name), places.join(", ")),
        None => format!("the database at {}", places.join(", ")),
    }
}

#[cfg(test)]
mod tests;
