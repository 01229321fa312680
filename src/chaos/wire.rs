//! HTTP/1.1 as far as a fake provider and a webhook platform need it, with a hand on every byte: half a request can be
//! read and half an answer sent. A server crate hides just that.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The largest head that is read, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// The largest body that is read, in bytes.
const MAX_BODY: usize = 16 << 20;
/// The most headers of one request.
const MAX_HEADERS: usize = 128;

/// A request or answer without its body.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// Method and target of a request.
    pub(super) method: String,
    pub(super) target: String,
    /// Status of an answer.
    pub(super) status: u16,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
}

impl Head {
    /// The first value of this header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub(super) fn path(&self) -> &str {
        self.target.split(['?', '#']).next().unwrap_or_default()
    }

    fn says(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
    }

    /// Whether the other side will send no more after this.
    pub(super) fn closes(&self) -> bool {
        self.says("connection", "close")
    }

    /// Whether the other side waits to be told to send its body.
    pub(super) fn waits(&self) -> bool {
        self.says("expect", "100-continue")
    }

    fn is_chunked(&self) -> bool {
        self.says("transfer-encoding", "chunked")
    }

    /// The octets of the body, where its head says how many.
    pub(super) fn length(&self) -> usize {
        self.header("content-length").and_then(|length| length.trim().parse().ok()).unwrap_or(0)
    }
}

/// A connection with what was read of it and not yet used.
pub(super) struct Wire<S> {
    pub(super) stream: S,
    kept: Vec<u8>,
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

impl<S: AsyncRead + Unpin> Wire<S> {
    pub(super) fn new(stream: S) -> Wire<S> {
        Wire { stream, kept: Vec::new() }
    }

    /// Waits for a first octet; false when the other side has closed.
    pub(super) async fn begins(&mut self) -> io::Result<bool> {
        Ok(!self.kept.is_empty() || self.more().await? > 0)
    }

    async fn more(&mut self) -> io::Result<usize> {
        let mut buffer = [0_u8; 8192];
        let read = self.stream.read(&mut buffer).await?;
        self.kept.extend_from_slice(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }

    async fn need(&mut self) -> io::Result<()> {
        match self.more().await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Reads a request's head.
    pub(super) async fn request(&mut self) -> io::Result<Head> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut request = httparse::Request::new(&mut headers);
            let parsed = request.parse(&self.kept).map_err(|error| broken(&error.to_string()))?;
            if let httparse::Status::Complete(end) = parsed {
                let head = Head {
                    method: request.method.unwrap_or_default().to_owned(),
                    target: request.path.unwrap_or_default().to_owned(),
                    status: 0,
                    headers: named(request.headers),
                };
                self.kept.drain(..end);
                return Ok(head);
            }
            self.head_grows().await?;
        }
    }

    /// Reads an answer's head; what only says "go on" is passed over.
    pub(super) async fn answer(&mut self) -> io::Result<Head> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
            let mut answer = httparse::Response::new(&mut headers);
            let parsed = answer.parse(&self.kept).map_err(|error| broken(&error.to_string()))?;
            if let httparse::Status::Complete(end) = parsed {
                let head = Head { status: answer.code.unwrap_or(0), headers: named(answer.headers), ..Head::default() };
                self.kept.drain(..end);
                if head.status >= 200 {
                    return Ok(head);
                }
                continue;
            }
            self.head_grows().await?;
        }
    }

    async fn head_grows(&mut self) -> io::Result<()> {
        if self.kept.len() > MAX_HEAD {
            return Err(broken("its head is too long"));
        }
        self.need().await
    }

    /// Reads the body.
    pub(super) async fn body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        if head.is_chunked() {
            return self.chunks().await;
        }
        self.octets(head.length()).await
    }

    /// Waits for half of the body, as far as its length is known.
    pub(super) async fn half(&mut self, head: &Head) -> io::Result<()> {
        let wanted = if head.is_chunked() { 1 } else { head.length().min(MAX_BODY) / 2 };
        while self.kept.len() < wanted {
            self.need().await?;
        }
        Ok(())
    }

    async fn octets(&mut self, wanted: usize) -> io::Result<Vec<u8>> {
        if wanted > MAX_BODY {
            return Err(broken("its body is too long"));
        }
        while self.kept.len() < wanted {
            self.need().await?;
        }
        let rest = self.kept.split_off(wanted);
        Ok(std::mem::replace(&mut self.kept, rest))
    }

    async fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let (start, length) = loop {
                match httparse::parse_chunk_size(&self.kept).map_err(|_| broken("a chunk has no length"))? {
                    httparse::Status::Complete((start, length)) => break (start, length),
                    httparse::Status::Partial => self.head_grows().await?,
                }
            };
            self.kept.drain(..start);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if body.len().saturating_add(length) > MAX_BODY {
                return Err(broken("its body is too long"));
            }
            if length == 0 {
                return self.trailers().await.map(|()| body);
            }
            body.extend(self.octets(length).await?);
            self.octets(2).await?;
        }
    }

    async fn trailers(&mut self) -> io::Result<()> {
        loop {
            if let Some(end) = self.kept.windows(2).position(|pair| pair == b"\r\n") {
                self.kept.drain(..end + 2);
                if end == 0 {
                    return Ok(());
                }
            } else {
                self.head_grows().await?;
            }
        }
    }

    /// Reads a line without its end; none when the other side has closed.
    pub(super) async fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.kept.iter().position(|octet| *octet == b'\n') {
                let line: Vec<u8> = self.kept.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            if self.kept.len() > MAX_HEAD {
                return Err(broken("a line is too long"));
            }
            if self.more().await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Reads a mail up to the line of one full stop; what is doubled at the start of a line is single again.
    pub(super) async fn mail(&mut self) -> io::Result<String> {
        let mut mail = String::new();
        while let Some(line) = self.line().await? {
            if line == "." {
                return Ok(mail);
            }
            if mail.len() > MAX_BODY {
                return Err(broken("the mail is too long"));
            }
            mail.push_str(line.strip_prefix('.').unwrap_or(&line));
            mail.push('\n');
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    /// Waits until the other side closes or resets; what it still says is not kept.
    pub(super) async fn gone(&mut self) {
        let mut buffer = [0_u8; 1024];
        while matches!(self.stream.read(&mut buffer).await, Ok(read) if read > 0) {}
    }
}

fn named(headers: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    let text = |header: &httparse::Header<'_>| {
        (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
    };
    headers.iter().filter(|header| !header.name.is_empty()).map(text).collect()
}

/// Posts a body and reads the status: a connection of its own, as far as the time lasts.
pub(super) async fn post(
    address: &str,
    headers: &[(String, String)],
    body: &[u8],
    patience: Duration,
) -> io::Result<u16> {
    let (host, target) = parted(address)?;
    let mut head =
        format!("POST {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    exchange(&host, format!("{head}\r\n").as_bytes(), body, patience).await
}

/// Asks for a page and reads the status.
pub(super) async fn get(address: &str, patience: Duration) -> io::Result<u16> {
    let (host, target) = parted(address)?;
    let head = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    exchange(&host, head.as_bytes(), &[], patience).await
}

async fn exchange(host: &str, head: &[u8], body: &[u8], patience: Duration) -> io::Result<u16> {
    let place = if host.rsplit(']').next().is_some_and(|behind| behind.contains(':')) {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let talk = async {
        let mut wire = Wire::new(TcpStream::connect(place).await?);
        wire.stream.write_all(head).await?;
        wire.stream.write_all(body).await?;
        let answer = wire.answer().await?;
        // The rest is read, so that the worker does not see a reset for its good answer.
        let _ = tokio::time::timeout(Duration::from_secs(1), wire.gone()).await;
        Ok(answer.status)
    };
    tokio::time::timeout(patience, talk).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Host with its port, and target.
pub(super) fn parted(address: &str) -> io::Result<(String, String)> {
    let rest = address.strip_prefix("http://").ok_or_else(|| broken("it is no http:// address"))?;
    let (host, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
    let target = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((host.to_owned(), target))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str) -> io::Result<(Head, Vec<u8>)> {
        let mut wire = Wire::new(text.as_bytes());
        let head = wire.request().await?;
        let body = wire.body(&head).await?;
        Ok((head, body))
    }

    #[tokio::test]
    async fn bodies_of_both_forms_are_read() {
        let (head, body) = read("POST /a?b=1 HTTP/1.1\r\nContent-Length: 3\r\nX-Key: k\r\n\r\nabcd").await.unwrap();
        assert_eq!((head.path(), head.header("x-key"), body.as_slice()), ("/a", Some("k"), &b"abc"[..]));
        let chunked =
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nt: v\r\n\r\n";
        assert_eq!(read(chunked).await.unwrap().1, b"abcde");
    }

    #[tokio::test]
    async fn what_is_no_request_is_refused() {
        for text in ["", "\u{1}\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"] {
            assert!(read(text).await.is_err(), "{text:?}");
        }
        let endless = format!("POST / HTTP/1.1\r\nx: {}", "y".repeat(2 * MAX_HEAD));
        assert_eq!(read(&endless).await.unwrap_err().to_string(), "its head is too long");
        assert!(read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").await.is_err());
        assert!(read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n").await.is_err());
    }

    #[test]
    fn an_address_has_a_host_and_a_target() {
        let parts = |address: &str| parted(address).unwrap();
        assert_eq!(parts("http://127.0.0.1:8/a/b?c"), ("127.0.0.1:8".to_owned(), "/a/b?c".to_owned()));
        assert_eq!(parts("http://h"), ("h".to_owned(), "/".to_owned()));
        assert!(parted("https://h").is_err());
    }
}
